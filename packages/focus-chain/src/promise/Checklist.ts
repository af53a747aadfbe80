/** What a program without Effect sees of a checklist, as types alone. */

/** One item; its id stays when its text or its place changes. */
export interface ChecklistItem {
  readonly id: string
  readonly text: string
  readonly state: "open" | "doing" | "done"
}

/** Names a checklist by its task. */
export interface ChecklistOptions {
  /** The data folder. */
  readonly directory: string
  readonly taskId: string
}

/** Tells what anybody else made of the file. */
export type SeenChecklist =
  | { readonly type: "edited"; readonly items: ReadonlyArray<ChecklistItem> }
  | { readonly type: "deleted" }
  | { readonly type: "unreadable"; readonly error: Error }

/** The checklist of one task. */
export interface Checklist {
  readonly path: string
  /** Nothing where there is no file. */
  readonly read: () => Promise<ReadonlyArray<ChecklistItem> | undefined>
  /** Makes these the items of the file, and keeps every other line; the title is that of the first write. */
  readonly write: (title: string, items: ReadonlyArray<ChecklistItem>) => Promise<void>
  readonly remove: () => Promise<void>
  /** What anybody else makes of the file from now on, never what this process wrote, until the signal aborts. */
  readonly watch: (options?: { readonly signal?: AbortSignal | undefined }) => AsyncIterable<SeenChecklist>
}
