/**
 * Requests to the process that owns a task: how one program stops what another one runs.
 *
 * A request is stored once by its id and names the attempt that it is meant for; the owner carries it out and marks it.
 */
import type { TaskId } from "@belay/task-state"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { HistoryError } from "./HistoryError.ts"

export interface Request {
  readonly id: string
  readonly taskId: TaskId.TaskId
  /** The attempt it is meant for; a later one ignores it. */
  readonly attempt: number
  readonly kind: "interrupt"
  readonly by: string
}

export class Inbox extends Context.Service<
  Inbox,
  {
    readonly post: (request: Request) => Effect.Effect<void, HistoryError>
    /** The requests to tasks that this process has leased which are not yet carried out, oldest first. */
    readonly pending: Effect.Effect<ReadonlyArray<Request>, HistoryError>
  }
>()("@belay/history-store/Inbox") {}
