/**
 * `belay task search`: tasks by the words of their titles and messages.
 *
 * It only reads, unless something was written since the last search: that is taken up first, all of it.
 */
import { type HistoryError, Search, TaskHistory } from "@belay/history-store"
import { Copy, Words } from "@belay/interaction"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { number, type Parsed, text } from "../../cli/Arguments.ts"
import { type ExitCode, type Failure, fromError, usage } from "../../cli/Failure.ts"
import { layer as history } from "../../tasks/History.ts"
import * as Appearance from "../../output/Appearance.ts"
import { linesOf, listText } from "../../tasks/ListText.ts"
import type { Sink } from "../../output/Sink.ts"
import { reading } from "../../tasks/Reading.ts"
import { redaction } from "../../output/Redaction.ts"

type Searching = Effect.Effect<Search.Found, HistoryError.HistoryError, TaskHistory>

/** Until nothing is left to take up, or nothing more is taken up. */
const whole = (search: Searching): Searching =>
  Effect.gen(function* () {
    let found = yield* search
    for (let before = -1; before < found.covered && found.covered < found.total;) {
      before = found.covered
      found = yield* search
    }
    return found
  })

const found = (search: Searching): Effect.Effect<Search.Found, Failure> =>
  Effect.gen(function* () {
    const known = yield* reading(search)
    if (known.covered === known.total) return known
    return yield* whole(search).pipe(Effect.provide(history()), Effect.mapError(fromError))
  })

const jsonOf = ({ messageIndex, row, snippet }: Search.Hit) => ({
  taskId: row.record.id,
  title: row.meta.title,
  messageIndex,
  snippet
})

/** Each row of a task is followed by what surrounds the words in its conversation. */
const textOf = (hits: ReadonlyArray<Search.Hit>, look: Appearance.Appearance) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const lines = hits.flatMap(({ row }) => linesOf({ row, openAsks: [], children: undefined }))
    const [titles = "", ...rows] = listText(lines, now, look)
    return [
      look.plain ? `${titles}\tSNIPPET` : titles,
      ...rows.flatMap((row, at) => {
        const snippet = Words.printable(hits[at]?.snippet ?? "")
        if (look.plain) return [`${row}\t${snippet}`]
        return snippet === "" ? [row] : [row, `    ${snippet}`]
      })
    ]
  })

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const typed = parsed.args.join(" ")
    const [wrong] = Search.misread(typed)
    if (wrong !== undefined) {
      const { part, takes } = wrong
      return yield* usage(
        `no filter "${part}", ${takes}`,
        `To search for its words, write: ${part.replaceAll(":", " ")}`
      )
    }
    const limit = (yield* Effect.fromResult(number(parsed, "limit"))) ?? 50
    const search = TaskHistory.use((history) => history.search(Search.parse(typed), limit))
    const { covered, hits, total } = redaction.deep(yield* found(search))
    if (text(parsed, "output") === "json") {
      sink.data(`${JSON.stringify(hits.map(jsonOf))}\n`)
      return 0 as const
    }
    const look = Appearance.of(parsed)
    if (hits.length > 0) sink.out(`${(yield* textOf(hits, look)).join("\n")}\n`)
    else sink.err(`${Copy.searchNone(typed)}\n`)
    if (covered < total) sink.err(`${Copy.searchCovers({ covered, total })}. Search again.\n`)
    return 0 as const
  })
