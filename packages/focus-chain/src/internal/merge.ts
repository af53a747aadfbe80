/**
 * Merges what two sides made of one list, item by item and field by field; where both changed the same, one side counts.
 */
import type { Item } from "../Item.ts"

type Items = ReadonlyArray<Item>

/** Holds the list after both sides have changed it. */
export interface Merged {
  readonly items: Items
  /** The ids of the items that both changed, differently: the user's counts. */
  readonly conflicts: ReadonlyArray<string>
}

const byId = (items: Items): ReadonlyMap<string, Item> => new Map(items.map((item) => [item.id, item]))

const same = (left: Item, right: Item): boolean => left.text === right.text && left.state === right.state

/** One field: whoever changed it has its way, the user first. */
const field = <A>(base: A, model: A, user: A) => ({
  value: user === base ? model : user,
  conflict: user !== base && model !== base && user !== model
})

type Verdict = { readonly item: Item | undefined; readonly conflict: boolean }

const verdict = (base: Item | undefined, model: Item | undefined, user: Item | undefined): Verdict => {
  if (base === undefined) {
    // Both may have added the same: an id is made of the text.
    return { item: user ?? model, conflict: user !== undefined && model !== undefined && !same(user, model) }
  }
  if (user === undefined) return { item: undefined, conflict: model !== undefined && !same(model, base) }
  if (model === undefined)
    return same(user, base) ? { item: undefined, conflict: false } : { item: user, conflict: true }
  const text = field(base.text, model.text, user.text)
  const state = field(base.state, model.state, user.state)
  return { item: { id: base.id, text: text.value, state: state.value }, conflict: text.conflict || state.conflict }
}

const common = (items: Items, ...others: ReadonlyArray<ReadonlyMap<string, Item>>): string =>
  items
    .filter(({ id }) => others.every((other) => other.has(id)))
    .map(({ id }) => id)
    .join(" ")

/** The ids of one list in its order, and those that only the other has, each behind the one it follows there. */
const woven = (first: Items, second: Items): ReadonlyArray<string> => {
  const order = first.map(({ id }) => id)
  const known = new Set(order)
  let at = 0
  for (const { id } of second) {
    if (known.has(id)) at = order.indexOf(id) + 1
    else order.splice(at++, 0, id)
  }
  return order
}

/**
 * Both sides' edits of `base`: items that one side added stay, items that one removed and the other did not change go.
 * A true conflict keeps the user's. The order is the user's where the user changed it, else the model's.
 */
export const merge = (base: Items, model: Items, user: Items): Merged => {
  const sides = { base: byId(base), model: byId(model), user: byId(user) }
  const moved = common(user, sides.base) !== common(base, sides.user)
  const order = moved ? woven(user, model) : woven(model, user)
  const verdicts = order.map((id) => ({ id, ...verdict(sides.base.get(id), sides.model.get(id), sides.user.get(id)) }))
  return {
    items: verdicts.flatMap(({ item }) => (item === undefined ? [] : [item])),
    conflicts: verdicts.flatMap(({ conflict, id }) => (conflict ? [id] : []))
  }
}
