/** An edit in parts that a person decides one by one: what is put in the file by those that are wanted. Pure. */
import { LineDiff } from "@belay/tool-executor/unstable/edit-text"

/** Lines of the file that would become others; counted from 0. */
export interface Hunk {
  readonly from: number
  readonly end: number
  readonly gone: ReadonlyArray<string>
  readonly come: ReadonlyArray<string>
}

/** With their line breaks. */
const linesOf = (text: string): ReadonlyArray<string> => text.match(/[^\n]*\n|[^\n]+$/gu) ?? []

/** In the order of the file. */
export const of = (base: string, proposed: string): ReadonlyArray<Hunk> => {
  const [old, made] = [linesOf(base), linesOf(proposed)]
  return LineDiff.hunks(old, made).map(({ from, fromEnd, to, toEnd }) => ({
    from,
    end: fromEnd,
    gone: old.slice(from, fromEnd),
    come: made.slice(to, toEnd)
  }))
}

/** The file with those parts alone that are wanted, by their places in the order. */
export const applied = (base: string, hunks: ReadonlyArray<Hunk>, isWanted: (at: number) => boolean): string => {
  const old = linesOf(base)
  const out: Array<string> = []
  let at = 0
  for (const [index, { come, end, from }] of hunks.entries()) {
    out.push(...old.slice(at, from), ...(isWanted(index) ? come : old.slice(from, end)))
    at = end
  }
  return [...out, ...old.slice(at)].join("")
}
