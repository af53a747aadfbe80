/** Lines of a file by their numbers, from 1. Pure. */
import { figure } from "../internal/figure.ts"

/** Both inclusive. */
export type LineRange = readonly [from: number, to: number]

/** In order, joined where they touch, none beyond line `last`. */
export const joined = (ranges: ReadonlyArray<LineRange>, last: number): ReadonlyArray<LineRange> => {
  const all: Array<LineRange> = []
  for (const [from, end] of ranges.toSorted(([a], [b]) => a - b)) {
    const to = Math.min(end, last)
    if (to < from) continue
    const before = all.at(-1)
    if (before === undefined || from > before[1] + 1) all.push([from, to])
    else all[all.length - 1] = [before[0], Math.max(before[1], to)]
  }
  return all
}

/** What lies between joined ranges, up to line `last`. */
export const between = (ranges: ReadonlyArray<LineRange>, last: number): ReadonlyArray<LineRange> => {
  const starts = [1, ...ranges.map(([, to]) => to + 1)]
  const ends = [...ranges.map(([from]) => from - 1), last]
  return starts.flatMap((from, at): ReadonlyArray<LineRange> => {
    const to = ends[at] ?? last
    return from <= to ? [[from, to]] : []
  })
}

/** Ranges that are named, at most. */
const most = 5

/** `line 5`, `lines 5 and 12-14` and the like. */
export const inWords = (ranges: ReadonlyArray<LineRange>): string => {
  const count = ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0)
  const named = ranges.slice(0, most).map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`))
  const others = ranges.slice(most).reduce((sum, [from, to]) => sum + to - from + 1, 0)
  const parts = others === 0 ? named : [...named, `${figure(others)} more`]
  const listed = parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`
  return `${count === 1 ? "line" : "lines"} ${listed}`
}
