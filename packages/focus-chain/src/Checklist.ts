/**
 * A checklist in Markdown that a model and its user both edit: pure functions, no error but `PatchError`.
 *
 * - `parse(render(document))` is the document; headings, notes, comments and code blocks of the user stay in place.
 * - Ids are unique, kept in a comment at the end of an item's line, and derived from the text where one is missing.
 * - No text leaves its line: line ends and comment marks in it are neutralised.
 */
import type { Item } from "./Item.ts"
import { type Document, make } from "./internal/document.ts"

export { Item, Patch, State } from "./Item.ts"
export { type Document, type ItemLine, items, type Line, type OtherLine, parse, render } from "./internal/document.ts"
export { edit } from "./internal/edit.ts"
export { clean } from "./internal/itemText.ts"
export { merge, type Merged } from "./internal/merge.ts"
export { patch, PatchError } from "./internal/patch.ts"
export { type Place, place } from "./internal/place.ts"
export { replaceItems } from "./internal/replaceItems.ts"
export { fromTaskProgress } from "./internal/taskProgress.ts"

/** Lists the items of a checklist from top to bottom. */
export type Checklist = ReadonlyArray<Item>

/** The document without a line. */
export const empty: Document = make([], "\n")

/** `percent` is rounded down, so 100 means that every item is done; 0 for an empty list. */
export interface Progress {
  readonly done: number
  readonly total: number
  readonly percent: number
}

/** Counts items. `percent` is rounded down, so that 100 means that every item is done. */
export const progress = (items: Checklist): Progress => {
  const total = items.length
  const done = items.filter((item) => item.state === "done").length
  return { done, total, percent: total === 0 ? 0 : Math.floor((done / total) * 100) }
}
