/**
 * An item of a checklist, as events, tools and hosts see it: its id stays when its text or its place changes.
 */
import * as Schema from "effect/Schema"

/** Decodes the state of an item. */
export const State = Schema.Literals(["open", "doing", "done"])
export type State = typeof State.Type

/** Decodes one item. Its id stays the same when its text or state changes. */
export const Item = Schema.Struct({
  id: Schema.String,
  text: Schema.String,
  state: State
})
export type Item = typeof Item.Type

/** One change to a list. With `id` it changes that item, without one it adds an item. */
export const Patch = Schema.Struct({
  id: Schema.optionalKey(Schema.String.annotate({ description: "Id of the item to change; leave out to add one" })),
  text: Schema.optionalKey(Schema.String.annotate({ description: "New text of the item" })),
  state: Schema.optionalKey(State.annotate({ description: "New state; an added item is open" })),
  after: Schema.optionalKey(
    Schema.String.annotate({ description: "Id of the item to stand behind; empty: the top of the list" })
  ),
  remove: Schema.optionalKey(Schema.Boolean.annotate({ description: "Remove the item" }))
})
export type Patch = typeof Patch.Type
