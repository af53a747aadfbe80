/**
 * The whole list as models send it with `task_progress`, its items recognised as those of the list before.
 */
import type { Item } from "../Item.ts"
import { candidate, splitLines } from "./document.ts"
import { makeIds } from "./itemText.ts"

interface Entry {
  readonly item: Omit<Item, "id">
  id: string | undefined
}

/** Gives entries without an id the unused ids of their key, first come first. */
const carry = (
  entries: ReadonlyArray<Entry>,
  keys: ReadonlyArray<string>,
  unused: Map<string, Array<string>>
): void => {
  entries.forEach((entry, index) => {
    entry.id ??= unused.get(keys[index] ?? "")?.shift()
  })
}

const groupBy = (items: ReadonlyArray<Item>, key: (item: Item) => string): Map<string, Array<string>> => {
  const groups = new Map<string, Array<string>>()
  for (const item of items) {
    const group = groups.get(key(item))
    if (group === undefined) groups.set(key(item), [item.id])
    else group.push(item.id)
  }
  return groups
}

/** For each element the last known id in front of it, "" at the top: two elements of one gap have the same. */
const gaps = (ids: ReadonlyArray<string | undefined>): ReadonlyArray<string> => {
  let last = ""
  return ids.map((id) => (last = id ?? last))
}

/**
 * The items of a text, in its order. An item is one of the previous list when it carries its id, else when its text is
 * equal, else when both stand in the same gap between recognised items (it was reworded). Everything else is new and
 * gets an id that the previous list does not have. Lines that are no items, also the marks of a code block, are ignored.
 */
export const fromTaskProgress = (text: string, previous: ReadonlyArray<Item>): ReadonlyArray<Item> => {
  const known = new Set(previous.map((item) => item.id))
  const entries = splitLines(text).flatMap((line): ReadonlyArray<Entry> => {
    const found = candidate(line)
    if (found === undefined) return []
    const id = found.id !== undefined && known.delete(found.id) ? found.id : undefined
    return [{ item: { text: found.text, state: found.state }, id }]
  })
  const left = () => {
    const used = new Set(entries.map((entry) => entry.id))
    return previous.filter((item) => !used.has(item.id))
  }
  carry(
    entries,
    entries.map((entry) => entry.item.text),
    groupBy(left(), (item) => item.text)
  )
  const remaining = new Set(left().map((item) => item.id))
  const places = gaps(previous.map((item) => (remaining.has(item.id) ? undefined : item.id)))
  const gapOf = new Map(previous.map((item, index) => [item.id, places[index] ?? ""]))
  carry(
    entries,
    gaps(entries.map((entry) => entry.id)),
    groupBy(left(), (item) => gapOf.get(item.id) ?? "")
  )
  const ids = makeIds(previous.map((item) => item.id))
  return entries.map(({ id, item }) => ({ id: id ?? ids.fresh(item.text), ...item }))
}
