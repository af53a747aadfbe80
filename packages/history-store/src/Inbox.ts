/**
 * Requests to the process that owns a task: how one program stops, tells or answers what another one runs.
 *
 * A request is stored once by its id and names the attempt that it is meant for; the owner carries it out and marks it in
 * the same commit. One for an attempt that is over is never carried out, except a message: what the user said is queued
 * until a runner reads it, whichever attempt that is.
 */
import type { TaskId } from "@belay/task-state"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Mode } from "./Event.ts"
import type { HistoryError } from "./HistoryError.ts"

/** What is asked for. */
export type RequestBody =
  | { readonly kind: "interrupt" }
  /** Delivered at the next turn boundary. */
  | { readonly kind: "message"; readonly text: string }
  /** Answers one open ask. */
  | {
      readonly kind: "answer"
      readonly askId: string
      readonly decision?: "allow" | "deny"
      readonly text?: string
    }
  | { readonly kind: "mode"; readonly mode: Mode; readonly text?: string }

export type Request = RequestBody & {
  readonly id: string
  readonly taskId: TaskId.TaskId
  /** The attempt it is meant for; a later one ignores it, unless it is a message. */
  readonly attempt: number
  readonly by: string
}

export class Inbox extends Context.Service<
  Inbox,
  {
    readonly post: (request: Request) => Effect.Effect<void, HistoryError>
    /** The requests to tasks that this process has leased which are not yet carried out, oldest first. */
    readonly pending: Effect.Effect<ReadonlyArray<Request>, HistoryError>
    /** Whether the request of this id has been carried out. */
    readonly applied: (id: string) => Effect.Effect<boolean, HistoryError>
  }
>()("@belay/history-store/Inbox") {}
