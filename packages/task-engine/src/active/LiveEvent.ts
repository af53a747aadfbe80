/**
 * What is shown while it happens and never stored: it may be missing, and a late reader does not get it.
 *
 * `after` is the `seq` of the last durable event of the task, `n` counts live events after that.
 */
import type { Event } from "@belay/history-store"
import type { TaskId } from "@belay/task-state"

/** Tells people something that is not stored. */
export type LiveBody =
  | { readonly type: "text.delta"; readonly text: string }
  /** Of a request to the model: its first words are waited for, they arrive, all of it is there, or it will not come. */
  | { readonly type: "answer"; readonly state: "waiting" | "streaming" | "complete" | "aborted" }
  | { readonly type: "tool.output"; readonly callId: string; readonly chunk: string }
  /** `until`: when what is waited for is tried again; ms since 1970. */
  | { readonly type: "progress"; readonly text: string; readonly until?: number }

/** One live event: `n` counts from 1 after the durable event whose `seq` is `after`. */
export type LiveEvent = LiveBody & {
  readonly taskId: TaskId.TaskId
  readonly ts: number
  readonly after: number
  readonly n: number
}

/** One event of a task, stored or live. */
export type TaskEvent = Event.StoredEvent | LiveEvent

/** Returns whether an event is stored. */
export const isDurable = (event: TaskEvent): event is Event.StoredEvent => "seq" in event
