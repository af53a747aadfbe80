/**
 * A task that a client program has asked for, and that a runner of this history is to run: whoever takes the queue, whenever.
 *
 * The client keeps nothing: what it asked for is found by its scope, also after it was run.
 */
import type { TaskId } from "@belay/task-state"

/** Describes a task of the queue. */
export interface QueuedTask {
  readonly id: TaskId.TaskId
  /** Who asked for it: tasks are shown to those of the same scope. */
  readonly scope: string
  /** It is to be run; false once it came to where it stopped. */
  readonly waits: boolean
  /** How often a runner has begun with it since it was queued. */
  readonly tries: number
  /** The number of its newest event: nothing has happened to it while this stays. */
  readonly lastSeq: number
}
