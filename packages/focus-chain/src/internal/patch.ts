/**
 * Changes to single items of a document by their ids, all of them or none.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Item, Patch } from "../Item.ts"
import { type Document, endOf, type ItemLine, type Line, make } from "./document.ts"
import { clean, type Ids, makeIds } from "./itemText.ts"

/** A patch that cannot be applied; nothing of the list was changed. `position` is that of the patch, from 0. */
export class PatchError extends Schema.TaggedError<PatchError>()("PatchError", {
  reason: Schema.Literals(["unknownItem", "emptyText"]),
  id: Schema.optionalKey(Schema.String),
  position: Schema.Natural
}) {
  override get message() {
    const which = `Item ${this.position + 1} of the update`
    return this.reason === "unknownItem"
      ? `${which} names the unknown id '${this.id ?? ""}'; nothing was changed. Use the ids of the current list, or leave id out to add an item.`
      : `${which} has no text; nothing was changed. Give it a text, or set remove to true with its id.`
  }
}

const indexOf = (lines: ReadonlyArray<Line>, id: string): number =>
  lines.findIndex((line) => line._tag === "Item" && line.item.id === id)

/** Where a line goes: behind `after`, at the top for "", else behind the last item; -1 when `after` is unknown. */
const target = (lines: ReadonlyArray<Line>, after: string | undefined): number => {
  if (after !== undefined && after !== "") return indexOf(lines, after) + 1 || -1
  const first = lines.findIndex((line) => line._tag === "Item")
  if (first < 0) return endOf(lines)
  return after === "" ? first : lines.findLastIndex((line) => line._tag === "Item") + 1
}

const styled = (lines: ReadonlyArray<Line>, at: number, item: Item): ItemLine => {
  const neighbour = [lines[at - 1], lines[at]].find((line) => line?._tag === "Item")
  return { _tag: "Item", indent: neighbour?.indent ?? "", bullet: neighbour?.bullet ?? "-", item }
}

type Applied = Result.Result<ReadonlyArray<Line>, PatchError>

const change = (lines: ReadonlyArray<Line>, patch: Patch, position: number, ids: Ids): Applied => {
  const unknown = (id: string) => Result.fail(new PatchError({ reason: "unknownItem", id, position }))
  const text = patch.text === undefined ? undefined : clean(patch.text)
  if (patch.id === undefined) {
    if (text === undefined || text === "") return Result.fail(new PatchError({ reason: "emptyText", position }))
    const at = target(lines, patch.after)
    const item = { id: ids.fresh(text), text, state: patch.state ?? "open" }
    return at < 0 ? unknown(patch.after ?? "") : Result.succeed(lines.toSpliced(at, 0, styled(lines, at, item)))
  }
  const from = indexOf(lines, patch.id)
  const line = lines[from]
  if (line?._tag !== "Item") return unknown(patch.id)
  if (patch.remove === true) return Result.succeed(lines.toSpliced(from, 1))
  if (text === "") return Result.fail(new PatchError({ reason: "emptyText", id: patch.id, position }))
  const changed: ItemLine = {
    ...line,
    item: { id: patch.id, text: text ?? line.item.text, state: patch.state ?? line.item.state }
  }
  if (patch.after === undefined || patch.after === patch.id) return Result.succeed(lines.with(from, changed))
  const rest = lines.toSpliced(from, 1)
  const at = target(rest, patch.after)
  return at < 0 ? unknown(patch.after) : Result.succeed(rest.toSpliced(at, 0, changed))
}

/**
 * Applies the patches in order, all or none. An item that is changed or moved keeps its id, and doing so twice is the
 * same as once; an added item gets an id that no item of the list has or had. Other lines stay as they are.
 */
export const patch = (document: Document, patches: ReadonlyArray<Patch>): Result.Result<Document, PatchError> => {
  const ids = makeIds(document.lines.flatMap((line) => (line._tag === "Item" ? [line.item.id] : [])))
  let lines = document.lines
  for (const [position, one] of patches.entries()) {
    const applied = change(lines, one, position, ids)
    if (Result.isFailure(applied)) return Result.fail(applied.failure)
    lines = applied.success
  }
  return Result.succeed(make(lines, document.newline))
}
