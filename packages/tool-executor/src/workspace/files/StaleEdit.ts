/**
 * A file that has another content than the model knows: where it has changed, in words.
 *
 * What the model has not read may have been changed by anybody; only a content that it knows by its hash counts.
 */
import { figure } from "../../internal/figure.ts"
import * as KnownLines from "../../tool/KnownLines.ts"
import * as LineRanges from "../../tool/LineRanges.ts"
import { failure, type ToolOutput } from "../../tool/Tool.ts"
import * as LineDiff from "../text/LineDiff.ts"
import * as NumberedLines from "../text/NumberedLines.ts"
import * as TextFile from "../text/TextFile.ts"

export interface Now {
  /** As the model wrote it. */
  readonly given: string
  readonly resolved: string
  /** `"absent"` when there is none. */
  readonly hash: string
  /** Nothing for a file that is no text, or not there. */
  readonly text: string | undefined
}

/** What the lines of a file are that are not as the model knows them. */
export interface Since {
  /** Nothing when that is not known. */
  readonly hunks: ReadonlyArray<LineDiff.Hunk> | undefined
}

/** Nothing when the model knows this content, or none. */
export const since = (
  known: KnownLines.Content | undefined,
  { hash, text }: Pick<Now, "hash" | "text">
): Since | undefined =>
  known === undefined || known.hash === hash
    ? undefined
    : { hunks: text === undefined ? undefined : KnownLines.changes(known.lines, text) }

/** Where a line (from 0) is once `edit` is made; nothing for one that the edit replaces. */
const after = (edit: ReadonlyArray<LineDiff.Hunk>, line: number): number | undefined => {
  let moved = 0
  for (const { from, fromEnd, toEnd } of edit) {
    if (line < from) break
    if (line < fromEnd) return undefined
    moved = toEnd - fromEnd
  }
  return line + moved
}

const gone = (lines: number): string => `${figure(lines)} ${lines === 1 ? "line is" : "lines are"} gone`

/** A sentence for an edit that was made all the same; `edit` is what it changed. */
export const note = ({ hunks }: Since, edit: ReadonlyArray<LineDiff.Hunk>): string => {
  const had = "The file had changed since you read it"
  if (hunks === undefined) return `${had}.`
  if (hunks.length === 0) return `${had}, but none of its lines.`
  const changed: Array<LineRanges.LineRange> = []
  const cuts: Array<LineRanges.LineRange> = []
  let lost = 0
  for (const { from, fromEnd, to, toEnd } of hunks) {
    for (let line = to; line < toEnd; line++) {
      const now = after(edit, line)
      if (now !== undefined) changed.push([now + 1, now + 1])
    }
    const before = to === toEnd ? after(edit, to - 1) : undefined
    if (before === undefined) continue
    lost += fromEnd - from
    cuts.push([before + 1, before + 1])
  }
  const words = [
    ...(changed.length === 0 ? [] : [LineRanges.inWords(LineRanges.joined(changed, Infinity))]),
    ...(cuts.length === 0 ? [] : [`${gone(lost)} after ${LineRanges.inWords(cuts)}`])
  ]
  const where = words.length === 0 ? ", at the place of this edit" : ` (${words.join("; ")})`
  return `${had}${where}; the rest is as you know it.`
}

/** Lines, and characters of all and of each, that are shown. */
const most = { lines: 100, characters: 16_000, ofLine: 2000 } as const

interface Shown {
  readonly lines: ReadonlyArray<string>
  readonly ranges: ReadonlyArray<LineRanges.LineRange>
}

/** The lines that have changed, as far as there is room. */
const changedLines = (hunks: ReadonlyArray<LineDiff.Hunk>, text: string): Shown => {
  const all = TextFile.linesOf(text)
  const lines: Array<string> = []
  const ranges: Array<LineRanges.LineRange> = []
  const left: Array<LineRanges.LineRange> = []
  let [count, characters] = [0, 0]
  for (const { from, fromEnd, to, toEnd } of hunks) {
    if (to === toEnd) lines.push(`(${gone(fromEnd - from)} after line ${to})`)
    for (let number = to + 1; number <= toEnd; number++) {
      const [line = ""] = NumberedLines.range(all, number, number, most.ofLine)
      const fits = left.length === 0 && count < most.lines && characters + line.length < most.characters
      ;(fits ? ranges : left).push([number, number])
      if (!fits) continue
      lines.push(line)
      count++
      characters += line.length
    }
  }
  const rest = LineRanges.joined(left, Infinity)
  return { lines: rest.length === 0 ? lines : [...lines, `(not shown: ${LineRanges.inWords(rest)})`], ranges }
}

/** An edit that is not made: with what has changed, which the model knows then. `why` is what does not fit. */
export const refusal = ({ given, hash, resolved, text }: Now, { hunks }: Since, why?: string): ToolOutput => {
  if (hash === "absent") {
    const said = `${given} was deleted since you saw it. Nothing was written: repeat the call if it should exist again.`
    return { ...failure(said), files: [{ path: resolved, hash }] }
  }
  const head = `${why === undefined ? "" : `${why}\n`}${given} was changed since you saw it, by a command or by somebody else. Nothing was written.`
  if (hunks === undefined || text === undefined) return failure(`${head} Read it again.`)
  const { lines, ranges } = changedLines(hunks, text)
  const shown =
    lines.length === 0 ? " None of its lines differs." : ` These are its changed lines:\n${lines.join("\n")}`
  return { ...failure(`${head}${shown}`), files: [{ path: resolved, hash, lines: KnownLines.of(text, ranges) }] }
}
