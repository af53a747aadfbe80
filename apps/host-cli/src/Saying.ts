/**
 * What is said to a task from outside: its process is asked, and what no process runs is told here, without running it.
 *
 * The first answer to an ask counts; a later one changes nothing and is told so. A message is stored before anybody is
 * waited for: the task reads it at its next turn boundary, or when it goes on.
 */
import { type HistoryError, Inbox, type InboxRequestBody, TaskHistory } from "@belay/history-store"
import { RequestRefused, visit } from "@belay/task-engine"
import { type Command, TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { until } from "./Confirmation.ts"

export type Body = Exclude<InboxRequestBody, { readonly kind: "interrupt" }>

/** `stored`: nobody runs the task, and it is there when it goes on. */
export type Said = "confirmed" | "stored" | "unconfirmed" | "completed"

type Fails = HistoryError.HistoryError | Command.TransitionRejected | RequestRefused
type Writes<A> = Effect.Effect<A, Fails, TaskHistory | Inbox>
type Answer = Extract<Body, { readonly kind: "answer" }>

const refuse = (taskId: TaskId.TaskId, reason: RequestRefused["reason"]) => new RequestRefused({ taskId, reason })

const askOf = (id: TaskId.TaskId, { askId }: Answer) =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.asks(id)),
    (asks) => asks.find((ask) => ask.askId === askId)
  )

/** Whether the ask can take this answer now. */
const judge = (id: TaskId.TaskId, body: Answer): Writes<void> =>
  Effect.gen(function* () {
    const ask = yield* askOf(id, body)
    if (ask === undefined) return yield* refuse(id, "unknownAsk")
    if (!ask.open) return yield* refuse(id, "alreadyAnswered")
    const decides = ask.kind === "approval" || (ask.kind === "mistakes" && ask.callId !== null)
    if (!decides && (body.text ?? "").trim() === "") return yield* refuse(id, "needsText")
  })

/** An answer that was carried out and is not the one that counted came second. */
const counted = (id: TaskId.TaskId, body: Body): Writes<void> =>
  Effect.gen(function* () {
    if (body.kind !== "answer") return
    const ask = yield* askOf(id, body)
    if (ask === undefined || ask.open) return yield* refuse(id, "unknownAsk")
    const differs = body.decision !== undefined && ask.decision !== null && ask.decision !== body.decision
    const other = body.text !== undefined && ask.text !== body.text
    if (differs || other) return yield* refuse(id, "alreadyAnswered")
  })

const rowOf = (id: TaskId.TaskId) =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.row(id)),
    Option.getOrUndefined
  )

const post = (taskId: TaskId.TaskId, attempt: number, body: Body) =>
  Effect.gen(function* () {
    const id = yield* TaskId.make
    yield* (yield* Inbox).post({ ...body, id, taskId, attempt, by: "cli" })
    return id
  })

/** Its process is asked. Nothing when it has stopped before it could be heard. */
const ask = (id: TaskId.TaskId, attempt: number, body: Body): Writes<Said | undefined> =>
  Effect.gen(function* () {
    const inbox = yield* Inbox
    const requestId = yield* post(id, attempt, body)
    const over = Effect.map(rowOf(id), (row) => {
      const status = row?.record.status
      return status === "completed" || status === "interrupted"
    })
    const applied = inbox.applied(requestId)
    const settled = yield* until(Effect.flatMap(applied, (done) => (done ? Effect.succeed(true) : over)))
    if (yield* applied) {
      yield* counted(id, body)
      return "confirmed"
    }
    if (!settled) return "unconfirmed"
    if ((yield* rowOf(id))?.record.status === "completed") return "completed"
    return body.kind === "message" ? "stored" : undefined
  })

/** Nobody runs it. */
const tell = (id: TaskId.TaskId, body: Body): Writes<void> => {
  switch (body.kind) {
    case "message":
      return visit(id, { message: body.text })
    case "mode":
      return visit(id, { mode: body.mode, ...(body.text === undefined ? {} : { message: body.text }) })
    case "answer": {
      const { askId, text } = body
      return visit(id, { answer: { askId, ...(text === undefined ? {} : { text }) } })
    }
  }
}

/** Errors: `RequestRefused` when nothing was changed. */
export const say = (id: TaskId.TaskId, body: Body): Writes<Said> =>
  Effect.gen(function* () {
    const row = yield* rowOf(id)
    if (row === undefined || row.record.status === "completed") return "completed"
    if (body.kind === "answer") yield* judge(id, body)
    const { attempt, status } = row.record
    if (row.lease?.alive === true) {
      const said = yield* ask(id, attempt, body)
      if (said !== undefined) return said
    } else if (status !== "interrupted" && body.kind === "message") {
      yield* post(id, attempt, body)
      return "stored"
    }
    yield* tell(id, body)
    return "stored"
  })
