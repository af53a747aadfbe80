import type { Item } from "../Item.ts"

/** An item, with the subtask whose list is below it; or a subtask that no item names. */
export interface Place<A> {
  readonly item: Item | undefined
  readonly subtask: A | undefined
}

const plain = (text: string): string => text.trim().toLowerCase()

/**
 * Says where the lists of subtasks hang: under the item that a subtask's title begins with, whatever the case, each once and in
 * their order; those that no item names come last.
 */
export const place = <A>(
  items: ReadonlyArray<Item>,
  subtasks: ReadonlyArray<A>,
  titleOf: (subtask: A) => string
): ReadonlyArray<Place<A>> => {
  const left = [...subtasks]
  const rows = items.map((item) => {
    const at = left.findIndex((subtask) => plain(titleOf(subtask)).startsWith(plain(item.text)))
    const [subtask] = at < 0 ? [] : left.splice(at, 1)
    return { item, subtask }
  })
  return [...rows, ...left.map((subtask) => ({ item: undefined, subtask }))]
}
