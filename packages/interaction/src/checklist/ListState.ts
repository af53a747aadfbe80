/** The checklist of a task as people see it: its items, and what its model does not know of them yet. */
import type { Checklist } from "@belay/focus-chain"

/** A list as it is now. */
export interface List {
  readonly items: Checklist.Checklist
  /** The model does not know it like this yet. */
  readonly edited: boolean
  /** The ids of items that the model does not know like this. */
  readonly mine: ReadonlySet<string>
  /** Items that both changed, of which the person's are kept. */
  readonly conflicts: number
  /** The model made a list and its file is gone. */
  readonly deleted: boolean
}

/** There is no list. */
export const none: List = { items: [], edited: false, mine: new Set(), conflicts: 0, deleted: false }
