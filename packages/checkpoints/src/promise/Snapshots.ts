/** What a program without Effect sees of the checkpoints of a workspace, as types alone. */

/** Configures where snapshots are kept, and how much of them. */
export interface CheckpointOptions {
  /** The data folder. */
  readonly directory: string
  /** What has the checkpoints: the id of a task, or any other safe name. */
  readonly taskId: string
  /** The folder that is recorded, absolute. */
  readonly workspace: string
  /** Larger files are left out; 100 MB by default. */
  readonly maxFileBytes?: number
}

/** One stored state of the workspace. */
export interface Snapshot {
  readonly id: string
  /** ms since 1970 */
  readonly at: number
  /** How many files differ from the one before it. */
  readonly files: number
  /** Files that it does not hold, and why. */
  readonly leftOut: ReadonlyArray<{ readonly path: string; readonly reason: string }>
}

/** One file that differs between two states; a side is absent where the file is not there. */
export interface FileChange {
  readonly path: string
  readonly from?: { readonly kind: "file" | "executable" | "link" }
  readonly to?: { readonly kind: "file" | "executable" | "link" }
}

/** Tells what a restore does, and what it leaves as it is. */
export interface RestorePlan {
  readonly changes: ReadonlyArray<FileChange>
  readonly kept: ReadonlyArray<{ readonly path: string; readonly reason: string }>
}

/** The snapshots of one workspace. Every method rejects with `CheckpointError`. */
export interface Checkpoints {
  /** Records the workspace, and gives the snapshot that holds its state; where nothing changed that is the last one. */
  readonly snapshot: () => Promise<{ readonly id: string; readonly changed: boolean }>
  /** In the order in which they were made. */
  readonly list: () => Promise<ReadonlyArray<Snapshot>>
  readonly compare: (from: string, to?: string) => Promise<ReadonlyArray<FileChange>>
  /** The same as text, as `git diff` writes it. Without `to` with the workspace as it is now. */
  readonly patch: (from: string, to?: string) => Promise<string>
  readonly preview: (to: string, paths?: ReadonlyArray<string>) => Promise<RestorePlan>
  /** Puts files back; `undo` names the state before that. */
  readonly restore: (to: string, paths?: ReadonlyArray<string>) => Promise<RestorePlan & { readonly undo: string }>
}
