/**
 * The live runners of this process, by task; what a task is in the history is decided there and nowhere else.
 */
import type { HistoryError } from "@belay/history-store"
import type { Command, TaskId, TaskRecord } from "@belay/task-state"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Ended, Stop } from "./Running.ts"

/** How a runner takes its task: as a new one, or going on with an interrupted or delegated one. */
export type Begin = "start" | "resume"

export class TaskRegistry extends Context.Service<
  TaskRegistry,
  {
    /** The task runs here, or waits for a permit. */
    readonly has: (id: TaskId.TaskId) => boolean
    readonly ids: () => ReadonlySet<TaskId.TaskId>
    /** Runs a task in this process, once: a task that runs already is joined. Ends when its runner ends. */
    readonly run: (
      id: TaskId.TaskId,
      begin: Begin
    ) => Effect.Effect<Ended, Command.TransitionRejected | HistoryError.HistoryError>
    /** Stops a runner and everything below it, and waits until that is stored; nothing when it does not run here. */
    readonly stop: (id: TaskId.TaskId, stop: Stop) => Effect.Effect<void>
    /** Completes when nothing runs here any more. */
    readonly idle: Effect.Effect<void>
  }
>()("@belay/task-engine/TaskRegistry") {}

/** Whether a record needs a runner, and how it begins; `undefined` when it has completed. */
export const beginOf = (record: TaskRecord.TaskRecord): Begin | undefined =>
  record.status === "completed" ? undefined : record.status === "created" ? "start" : "resume"
