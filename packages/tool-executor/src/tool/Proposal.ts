/**
 * What a tool would write, stated before it writes: for a person to read, and to change.
 *
 * It is made from the content that an approval binds to; when the file changes, the approval is asked for again with a
 * new one.
 */

/** One file, in few words: what an ask carries. */
export interface Summary {
  /** As the model wrote it. */
  readonly path: string
  /** Where it leads: absolute, links followed. */
  readonly resolved: string
  readonly exists: boolean
  /** It would be removed. */
  readonly deletes?: true
  /** Lines. */
  readonly added: number
  readonly removed: number
  /** Why the contents are not shown, as a phrase: it is a binary file, too large, or the edit does not apply. */
  readonly hidden?: string
}

/** Both sides, without byte order mark, line breaks as in the file; `base` is `undefined` for a new file. */
export interface Contents {
  readonly base: string | undefined
  readonly proposed: string
}

/** Says what a call would change in one file. */
export interface Proposal {
  readonly summary: Summary
  /** SHA-256 of the bytes that would be replaced, hexadecimal, or `"absent"`. */
  readonly baseHash: string
  /** Absent when the summary says why. */
  readonly contents?: Contents
}

/** The text that a person wants in a file instead of what was proposed, by its resolved path. */
export interface Edited {
  readonly resolved: string
  readonly text: string
}
