/** What a program keeps of one task, in the shape that all are read from afterwards. */
import type { Item } from "../../Item.ts"
import type { List } from "../stored.ts"

export interface Raw {
  readonly item: Item
  /** What the program stored about it. */
  readonly value: unknown
  /** It has a record, or a list tells of it. */
  readonly isKnown: boolean
  /** Its conversation: `{role, content, ts}`; `hidden` where the model was no longer shown it. */
  readonly sent: List
  /** What people saw, as Cline stores it: what it says besides, and what requests cost. */
  readonly events: ReadonlyArray<unknown>
  /** How it ended, where the program has its own way to say so. */
  readonly completion?: { readonly result: string | undefined }
  /** The call that began it. */
  readonly calledBy?: string
}
