/**
 * A request to the process that has a task: stored once, then waited for, for 3 seconds at most.
 */
import { type HistoryError, Inbox, type InboxRequestBody, Ownership, TaskHistory } from "@belay/history-store"
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { until } from "./Confirmation.ts"

/**
 * `accepted`: it waits with the task, durably. `refused`: nothing changed, and why. `gone`: its process has given the task
 * up before it was heard.
 */
export type Told =
  | { readonly _tag: "applied" | "accepted" | "unconfirmed" | "gone" }
  | { readonly _tag: "refused"; readonly why: string }

/** Stores a request and gives its id. */
export const post = (
  taskId: TaskId.TaskId,
  attempt: number,
  body: InboxRequestBody
): Effect.Effect<string, HistoryError.HistoryError, Inbox | Ownership> =>
  Effect.gen(function* () {
    const id = yield* TaskId.make
    const { kind: by } = (yield* Ownership).row
    yield* (yield* Inbox).post({ ...body, id, taskId, attempt, by })
    return id
  })

/** Whether nobody will carry it out any more; what the user said is read by whoever has the task next. */
const isGone = (taskId: TaskId.TaskId, attempt: number, kind: InboxRequestBody["kind"]) =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.row(taskId)),
    (found) => {
      const row = Option.getOrUndefined(found)
      return row?.lease?.alive !== true || (kind !== "message" && row.record.attempt !== attempt)
    }
  )

/** Posts a request to the process that runs a task and waits up to 3 seconds for its answer. */
export const ask = (
  taskId: TaskId.TaskId,
  attempt: number,
  body: InboxRequestBody
): Effect.Effect<Told, HistoryError.HistoryError, TaskHistory | Inbox | Ownership> =>
  Effect.gen(function* () {
    const inbox = yield* Inbox
    const id = yield* post(taskId, attempt, body)
    const told = inbox.reply(id)
    const gone = isGone(taskId, attempt, body.kind)
    const settled = yield* until(Effect.flatMap(told, (reply) => (Option.isSome(reply) ? Effect.succeed(true) : gone)))
    return Option.getOrElse(yield* told, (): Told => ({ _tag: settled ? "gone" : "unconfirmed" }))
  })
