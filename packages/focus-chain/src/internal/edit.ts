/**
 * Changes to single items in the text of a file: every line that is not concerned stays to the byte.
 */
import * as Result from "effect/Result"
import type { Patch } from "../Item.ts"
import { type Document, items, type Line, make, parse, render } from "./document.ts"
import { patch, type PatchError } from "./patch.ts"

interface Raw {
  readonly text: string
  /** Its own line end; empty at the last line. */
  readonly end: string
}

const rawLines = (text: string): ReadonlyArray<Raw> =>
  [...text.matchAll(/([^\r\n]*)(\r\n|\n|\r|$)/gu)]
    // a match without a line end at the end of the text follows one that has taken all of it
    .filter((match, index, all) => index === 0 || match.index < text.length || all[index - 1]?.[2] !== "")
    .map(([, line = "", end = ""]) => ({ text: line, end }))

const lineOf = (line: Line): string => render(make([line], "\n"))

/** The lines of the document, those that are the same object as in `before` as they were written. */
const written = (before: Document, raw: ReadonlyArray<Raw>, after: Document): string => {
  const known = new Map(before.lines.map((line, index) => [line, raw[index]] as const))
  const ends = new Map(
    before.lines.flatMap((line, index) => (line._tag === "Item" ? [[line.item.id, raw[index]?.end]] : []))
  )
  const last = after.lines.length - 1
  return after.lines
    .map((line, index) => {
      const own = known.get(line)
      const end = own?.end ?? (line._tag === "Item" ? ends.get(line.item.id) : undefined)
      return `${own?.text ?? lineOf(line)}${index === last ? "" : end || after.newline}`
    })
    .join("")
}

/**
 * Applies the patches to the text of a file, all or none. Only the lines of the items that are named change, with their
 * ids written out; where that would give another item another id, the ids of all are written out.
 */
export const edit = (text: string, patches: ReadonlyArray<Patch>): Result.Result<string, PatchError> => {
  const before = parse(text)
  return Result.map(patch(before, patches), (after) => {
    const result = written(before, rawLines(text), after)
    const same = JSON.stringify(items(parse(result))) === JSON.stringify(items(after))
    return same ? result : render(after)
  })
}
