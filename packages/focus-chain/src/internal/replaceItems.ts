/**
 * Puts a new list into a document: headings and notes stay where they are, items that keep their order stay in place.
 */
import type { Item } from "../Item.ts"
import { type Document, endOf, type ItemLine, type Line, make } from "./document.ts"
import { clean, isId, makeIds } from "./itemText.ts"

/** The items as a file can hold them: clean texts, none empty, no id twice. */
const normalise = (items: ReadonlyArray<Item>): ReadonlyArray<Item> => {
  const ids = makeIds()
  const named = items.flatMap(({ id, state, text }) => {
    const cleaned = clean(text)
    return cleaned === "" ? [] : [{ id, state, text: cleaned, kept: isId(id) && ids.take(id) }]
  })
  return named.map(({ id, kept, state, text }) => ({ id: kept ? id : ids.fresh(text), text, state }))
}

/**
 * Positions of a longest strictly increasing subsequence, by patience sorting (Fredman 1975), O(n log n).
 * Undefined entries are passed over.
 */
const increasing = (values: ReadonlyArray<number | undefined>): ReadonlySet<number> => {
  const tails: Array<number> = []
  const before = new Map<number, number>()
  values.forEach((value, position) => {
    if (value === undefined) return
    let low = 0
    let high = tails.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((values[tails[middle] ?? 0] ?? 0) < value) low = middle + 1
      else high = middle
    }
    const previous = tails[low - 1]
    if (previous !== undefined) before.set(position, previous)
    tails[low] = position
  })
  const found = new Set<number>()
  for (let at = tails.at(-1); at !== undefined; at = before.get(at)) found.add(at)
  return found
}

/** The new items by the line they stand behind; -1 are those in front of the first item that stays. */
const groups = (list: ReadonlyArray<Item>, places: ReadonlyArray<number | undefined>) => {
  const stays = increasing(places)
  const result = new Map<number, Array<Item>>()
  let anchor = -1
  list.forEach((item, position) => {
    const place = places[position]
    if (stays.has(position) && place !== undefined) anchor = place
    const group = result.get(anchor)
    if (group === undefined) result.set(anchor, [item])
    else group.push(item)
  })
  return result
}

/**
 * The items of the result are the given ones, in their order; all other lines are those of the document, in theirs.
 * Texts are cleaned, items without a text left out, a second item of an id gets an id of its own.
 */
export const replaceItems = (document: Document, items: ReadonlyArray<Item>): Document => {
  const list = normalise(items)
  const place = new Map(
    document.lines.flatMap((line, index) => (line._tag === "Item" ? [[line.item.id, index] as const] : []))
  )
  const style = (item: Item, neighbour: Line | undefined): ItemLine => {
    const own = document.lines[place.get(item.id) ?? -1] ?? neighbour
    return own?._tag === "Item"
      ? { _tag: "Item", indent: own.indent, bullet: own.bullet, item }
      : { _tag: "Item", indent: "", bullet: "-", item }
  }
  const grouped = groups(
    list,
    list.map((item) => place.get(item.id))
  )
  const first = document.lines.findIndex((line) => line._tag === "Item")
  // anchors are met in ascending order, so the first one found is the first in the document
  const staying = [...grouped.keys()].find((key) => key >= 0)
  const head = staying ?? (first >= 0 ? first : endOf(document.lines))
  const lines: Array<Line> = []
  const put = (group: number, neighbour: Line | undefined): void => {
    for (const item of grouped.get(group) ?? []) lines.push(style(item, neighbour))
  }
  document.lines.forEach((line, index) => {
    if (index === head) put(-1, line)
    if (line._tag === "Other") lines.push(line)
    else put(index, line)
  })
  if (head >= document.lines.length) put(-1, undefined)
  return make(lines, document.newline)
}
