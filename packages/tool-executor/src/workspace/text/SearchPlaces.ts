/**
 * Where a text that a model wants replaced is in a file, with LF line breaks. Pure.
 *
 * Places are exact ones if there are any; else whole lines without their outer blanks; else, for three lines and more, those
 * whose first and last line are the same.
 */

/** How a block found its place: exactly, by whole lines without outer blanks, or by its first and last line. */
export type Match = "exact" | "lines" | "anchors"

/** What counts as a place. */
export interface Way {
  /** Every place is meant, so the first and the last line of a text are too little. */
  readonly all?: boolean
  /** The file is not as the model knows it: they are too little, too. */
  readonly strict?: boolean
}

/** Offsets of characters. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** The line in which each begins, from 1; they are in order. */
export const linesAt = (text: string, ranges: ReadonlyArray<Range>): ReadonlyArray<number> => {
  let line = 1
  let next = text.indexOf("\n")
  return ranges.map(({ start }) => {
    for (; next !== -1 && next < start; next = text.indexOf("\n", next + 1)) line++
    return line
  })
}

const exactRanges = (text: string, search: string): ReadonlyArray<Range> => {
  const ranges: Array<Range> = []
  for (let at = text.indexOf(search); at !== -1; at = text.indexOf(search, at + 1)) {
    ranges.push({ start: at, end: at + search.length })
  }
  return ranges
}

const trimBlanks = (line: string) => line.replaceAll(/^[ \t]+|[ \t]+$/g, "")

type Matches = (lines: ReadonlyArray<string>, from: number) => boolean

const lineRanges = (
  lines: ReadonlyArray<string>,
  count: number,
  matches: Matches,
  compared = lines
): ReadonlyArray<Range> => {
  const ranges: Array<Range> = []
  let start = 0
  for (let from = 0; from + count <= lines.length; from++) {
    if (matches(compared, from)) {
      const length = lines.slice(from, from + count).reduce((sum, line) => sum + line.length + 1, -1)
      ranges.push({ start, end: start + length })
    }
    start += (lines[from]?.length ?? 0) + 1
  }
  return ranges
}

const trimmedRanges = (text: string, count: number, matches: Matches): ReadonlyArray<Range> => {
  const lines = text.split("\n")
  return lineRanges(lines, count, matches, lines.map(trimBlanks))
}

/** All places of a text. */
export interface Found {
  readonly how: Match
  readonly ranges: ReadonlyArray<Range>
}

/** Whole lines that are alike; nothing when there are none. */
export const loosely = (text: string, search: string, { all, strict }: Way): Found | undefined => {
  const wanted = search.split("\n").map(trimBlanks)
  if (wanted.every((line) => line === "")) return undefined
  const whole = trimmedRanges(text, wanted.length, (lines, from) => wanted.every((line, n) => lines[from + n] === line))
  if (whole.length > 0) return { how: "lines", ranges: whole }
  const first = wanted[0]
  const last = wanted.at(-1)
  if (wanted.length < 3 || first === "" || last === "" || all === true || strict === true) return undefined
  const anchored = trimmedRanges(
    text,
    wanted.length,
    (lines, from) => lines[from] === first && lines[from + wanted.length - 1] === last
  )
  return anchored.length > 0 ? { how: "anchors", ranges: anchored } : undefined
}

/** Nothing when it is nowhere. */
export const find = (text: string, search: string, way: Way): Found | undefined => {
  const exact = exactRanges(text, search)
  return exact.length > 0 ? { how: "exact", ranges: exact } : loosely(text, search, way)
}

/** Whole lines that are the same. */
export const findLines = (text: string, lines: ReadonlyArray<string>): Found | undefined => {
  const ranges = lineRanges(text.split("\n"), lines.length, (all, from) =>
    lines.every((line, n) => all[from + n] === line)
  )
  return ranges.length > 0 ? { how: "exact", ranges } : undefined
}

/** Those that do not overlap an earlier one. */
export const apart = (ranges: ReadonlyArray<Range>): ReadonlyArray<Range> => {
  let end = -1
  return ranges.filter((range) => {
    if (range.start < end) return false
    end = range.end
    return true
  })
}
