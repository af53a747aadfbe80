/**
 * What a watcher saw of a checklist file once it was still for 300 ms; what this process wrote is nothing to see.
 */
import type { FocusChainError } from "./FocusChainError.ts"
import type { Item } from "./Item.ts"

/** Holds the file as it was read. */
export interface Stored {
  readonly text: string
  readonly items: ReadonlyArray<Item>
  /** SHA-256 of the file's bytes, in hexadecimal. */
  readonly hash: string
}

/** Tells what happened to the file since it was read last. */
export type Seen =
  /** Other bytes than before; its items may be the same. */
  | { readonly _tag: "Edited"; readonly stored: Stored }
  | { readonly _tag: "Deleted" }
  /** The list stays what it was. */
  | { readonly _tag: "Unreadable"; readonly error: FocusChainError }
