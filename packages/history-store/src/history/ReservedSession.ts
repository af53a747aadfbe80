/**
 * A session that a client program has opened before anything was said in it: its first prompt creates the task with its id.
 *
 * It outlives the process that opened it, is in no list, and is gone 30 days later.
 */
import type { TaskId } from "@belay/task-state"
import type { Mode } from "./Event.ts"

/** Describes the task that the first prompt creates. */
export interface ReservedSession {
  readonly id: TaskId.TaskId
  /** Absolute and resolved. */
  readonly workspace: string
  readonly mode: Mode
  /** What was chosen in place of what the settings say. */
  readonly model?: string
  readonly approvals?: string
}

/** For how long one is kept, in ms. */
export const keptMs = 30 * 24 * 60 * 60 * 1000
