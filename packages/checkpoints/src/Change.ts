/**
 * How a file differs between two states of a workspace.
 */
import type { TaskId } from "@belay/task-state"

/** Names of the kinds of a file that are recorded; a symbolic link's content is its target. */
export type Kind = "file" | "executable" | "link"

/** Describes a file on one side of a comparison. */
export interface Side {
  readonly kind: Kind
  /** The id of the content. */
  readonly blob: string
}

/** Describes one file that differs between two states of the workspace. */
export interface Change {
  /** Relative to the workspace, with "/"; bytes that are not UTF-8 are shown as U+FFFD. */
  readonly path: string
  /** Absent where the file does not exist on that side. */
  readonly from?: Side
  readonly to?: Side
}

/** A change that a restore undoes, and who else has a share in what it takes back. */
export interface Undone extends Change {
  /** It was changed between two turns of the task, and not by another task that keeps checkpoints. */
  readonly byUser: boolean
  /** Other tasks that changed it since. */
  readonly byTasks: ReadonlyArray<TaskId.TaskId>
}
