/**
 * The live runners of this process, by task; what a task is in the history is decided there and nowhere else.
 */
import type { TaskId, TaskRecord } from "@belay/task-state"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Ended, Stop, StoreFailure } from "./ActiveTask.ts"

export class TaskRegistry extends Context.Service<
  TaskRegistry,
  {
    /** The task runs here, or waits for a permit. */
    readonly has: (id: TaskId.TaskId) => boolean
    /** The same as this record says: with this attempt, or not taken yet. */
    readonly runs: (record: TaskRecord.TaskRecord) => boolean
    readonly ids: () => ReadonlySet<TaskId.TaskId>
    /**
     * Starts the runner of a task in this process, once: one of the same attempt is joined. One of another attempt is
     * ended first, without writing, and the new one starts when it has ended. Gives the end.
     */
    readonly launch: (id: TaskId.TaskId) => Effect.Effect<Effect.Effect<Ended, StoreFailure>>
    /** Ends when its runner here has ended, however it did; at once when it does not run here. */
    readonly ended: (id: TaskId.TaskId) => Effect.Effect<void>
    /** Tells a runner to stop; the first reason counts. Nothing when it does not run here. */
    readonly signal: (id: TaskId.TaskId, stop: Stop) => Effect.Effect<void>
    /** Stops a runner and everything below it, and waits until that is stored; nothing when it does not run here. */
    readonly stop: (id: TaskId.TaskId, stop: Stop) => Effect.Effect<void>
  }
>()("@belay/task-engine/TaskRegistry") {}
