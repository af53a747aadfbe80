/** Lines of a file as a model reads them: each begins with its number, counted from 1, and a tab. */
import type * as LineDiff from "./LineDiff.ts"

const longest = 200

/** Lines that are shown of what a change has made, at most. */
const most = 10

export const line = (number: number, text: string): string => `${number}\t${text}`

/** Lines of the range, 200 characters of each by default. */
export const range = (lines: ReadonlyArray<string>, from: number, to: number, of = longest): ReadonlyArray<string> =>
  lines.slice(from - 1, to).map((text, at) => line(from + at, text.length > of ? `${text.slice(0, of)}...` : text))

/** The first 10 of `count` lines. */
export const some = (lines: ReadonlyArray<string>, from: number, count: number): ReadonlyArray<string> => {
  const shown = range(lines, from, from + Math.min(count, most) - 1)
  return count > most ? [...shown, `(${count - most} more)`] : shown
}

/** The first 10 of the lines that a change has made. */
export const changed = (lines: ReadonlyArray<string>, edit: ReadonlyArray<LineDiff.Hunk>): ReadonlyArray<string> => {
  const shown: Array<string> = []
  let left = 0
  for (const { to, toEnd } of edit) {
    const end = Math.min(toEnd, to + most - shown.length)
    shown.push(...range(lines, to + 1, end))
    left += toEnd - end
  }
  return left === 0 ? shown : [...shown, `(${left} more)`]
}
