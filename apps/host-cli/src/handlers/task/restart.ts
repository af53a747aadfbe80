/** `belay task restart`: replaces a stopped subtask by a fresh one, with the same instructions or others. */
import { FocusChain } from "@belay/focus-chain"
import * as DataFolder from "@belay/history-store/data-folder"
import { Releasing } from "@belay/task-engine/remote"
import * as Effect from "effect/Effect"
import type { Parsed } from "../../cli/Arguments.ts"
import * as Change from "../../tasks/Change.ts"
import { type ExitCode, type Failure, usage } from "../../cli/Failure.ts"
import type { Sink } from "../../output/Sink.ts"
import { reading } from "../../tasks/Reading.ts"
import { released, rowsOf } from "../../tasks/Releasing.ts"
import * as TaskReference from "../../tasks/TaskReference.ts"

const lists = FocusChain.layerNode({ directory: DataFolder.directory() })

const restart = (pair: Change.Pair, message: string | undefined) =>
  Effect.gen(function* () {
    const started = Releasing.restart(rowsOf(pair), message)
    const { released: by, to } = yield* released(pair, Effect.provide(started, lists))
    return { by, reference: yield* TaskReference.short(to) }
  })

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const pair = yield* reading(Change.subtask(parsed))
    const { child, parent } = pair
    if (Releasing.isReleased(rowsOf(pair), "restarted")) {
      // Whoever restarted it may have died before the old one was stopped.
      yield* Change.changing(released(pair, Releasing.stopOld(rowsOf(pair), "restart.stop")))
      return yield* usage(
        `${child.title} was restarted already`,
        `See the new one with: belay task tree ${parent.reference}`
      )
    }
    yield* Change.unowned(child)
    const said = parsed.args.slice(1).join(" ").trim()
    const { by, reference } = yield* Change.changing(restart(pair, said === "" ? undefined : said))
    const line = `Restarted ${child.title} as ${reference}. ${parent.title} waits for the new one.`
    const next = by === "there" ? "" : ` Go on with: belay task resume ${parent.reference}`
    return yield* Change.report(parsed, sink, parent.id, `${line}${next}`)
  })
