/**
 * The lines of kept output that match a regular expression, each with its number and two lines around it.
 *
 * Guarantees: linear time and 20 seconds at most, in a process of its own; at most 100 matching lines, 400 characters of a
 * line and the wanted size are shown; the last line says how many there are and how to read on.
 */
import * as Effect from "effect/Effect"
import { figure } from "../../internal/figure.ts"
import type * as Tool from "../../tool/Tool.ts"
import { failure, output } from "../../tool/Tool.ts"
import * as Excerpt from "../files/Excerpt.ts"
import * as PlainText from "../text/PlainText.ts"
import * as Ripgrep from "../files/Ripgrep.ts"

const around = 2
const mostMatches = 100
/** Counting ends here. */
const mostCounted = 100_000

export interface Wanted {
  /** Absolute. */
  readonly file: string
  readonly regex: string
  /** Matches before this byte are left out. */
  readonly offset: number
  /** About how many characters are shown. */
  readonly limit: number
  readonly ripgrep?: string | undefined
}

const collect = ({ limit, offset }: Wanted) => {
  const shown: Array<string> = []
  let characters = 0
  let matches = 0
  let matchesShown = 0
  let next: number | undefined
  let last = 0
  /** Lines around the last match that is shown go on to this number. */
  let until = 0
  /** Lines that show if a match follows. */
  let before: Array<Ripgrep.Line> = []

  const add = (line: Ripgrep.Line) => {
    if (line.number !== last + 1) shown.push(`[offset ${line.offset}]`)
    last = line.number
    const text = `${line.number}${line.isMatch ? ":" : "-"} ${PlainText.output(Excerpt.of(line)).replaceAll("\n", " ")}`
    shown.push(text)
    characters += text.length + 1
  }

  const onMatch = (line: Ripgrep.Line) => {
    matches++
    if (next !== undefined) return
    if (matchesShown >= mostMatches || characters >= limit) {
      next = line.offset
      return
    }
    matchesShown++
    for (const one of before) add(one)
    before = []
    add(line)
    until = line.number + around
  }

  const onLine = (line: Ripgrep.Line): boolean => {
    if (line.isMatch) {
      if (line.offset >= offset) onMatch(line)
    } else if (next === undefined && line.number <= until && last > 0) add(line)
    else before = [...before, line].slice(-around).filter(({ number }) => number >= line.number - around)
    return matches >= mostCounted
  }
  return { onLine, found: () => ({ lines: shown, matches, matchesShown, next }) }
}

const count = (value: number): string => `${figure(value)} matching line${value === 1 ? "" : "s"}`

export const read = Effect.fnUntraced(function* (wanted: Wanted): Effect.fn.Return<Tool.ToolOutput> {
  const collected = collect(wanted)
  const search = Ripgrep.search({
    program: wanted.ripgrep,
    cwd: "/",
    target: wanted.file,
    regex: wanted.regex,
    globs: [],
    isText: true,
    context: around,
    onLine: collected.onLine
  })
  const end = yield* Effect.catch(search, (error) => Effect.succeed(error.message))
  if (typeof end === "string") return failure(end)
  if (end.code === 2) return failure(`The output could not be searched: ${PlainText.output(end.errors).trim()}`)
  const { lines, matches, matchesShown, next } = collected.found()
  const from = wanted.offset === 0 ? "" : ` from offset ${wanted.offset} on`
  const whole = end.reason === "complete" ? count(matches) : `At least ${count(matches)}`
  const notes = [
    matches === 0
      ? `No matching lines${from}.`
      : `${whole}${from}${next === undefined ? "." : `; ${matchesShown} are shown. The next is at offset ${next}.`}`,
    ...(end.reason === "timeout" ? ["The search was stopped after 20 seconds. Use a simpler regex."] : []),
    ...(end.dropped === 0 ? [] : [`Very long lines that are not shown: ${end.dropped}.`]),
    ...(matches === 0 ? [] : ["Without regex, an offset reads what follows it."])
  ]
  return output([...lines, `[${notes.join(" ")}]`].join("\n"))
})
