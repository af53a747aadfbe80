/**
 * Tells a remote task something: its process is asked, and what no process runs is told here, without running it.
 *
 * The first answer to an ask counts; a later one changes nothing and is told so, even when it says the same. A message is
 * stored before anybody is waited for and confirmed when the process that runs the task has it: the task reads it at its
 * next turn boundary, or when it goes on.
 */
import { type HistoryError, type Inbox, type InboxRequestBody, type Ownership, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import type { Command, TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { missing, wants } from "../active/OpenAsk.ts"
import { RequestRefused } from "../active/RequestRefused.ts"
import * as Words from "../prompt/UserIntent.ts"
import { visit } from "../lifecycle/MessageStoppedTask.ts"
import { ask, post } from "./Requesting.ts"

/** One thing that a person says to a task of any process. */
export type Body = Extract<InboxRequestBody, { readonly kind: "message" | "answer" | "mode" }>

/** `stored`: nobody runs the task, and it is there when it goes on. */
export type Said = "confirmed" | "stored" | "unconfirmed" | "completed"

type Fails = HistoryError.HistoryError | Command.TransitionRejected | RequestRefused
type Writes<A> = Effect.Effect<A, Fails, TaskHistory | Inbox | Ownership>
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
    const missed = missing(wants({ ...ask.payload, ...ask }), body)
    if (missed !== undefined) return yield* refuse(id, missed)
  })

const rowOf = (id: TaskId.TaskId) =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.row(id)),
    Option.getOrUndefined
  )

/** Its process is asked. Nothing when it has stopped before it could be heard. */
const toOwner = (id: TaskId.TaskId, attempt: number, body: Body): Writes<Said | undefined> =>
  Effect.gen(function* () {
    const told = yield* ask(id, attempt, body)
    switch (told._tag) {
      case "applied":
      case "accepted":
        return "confirmed"
      case "refused":
        return yield* RequestRefused.because(id, told.why)
      case "unconfirmed":
        return "unconfirmed"
      case "gone":
        if ((yield* rowOf(id))?.record.status === "completed") return "completed"
        return body.kind === "message" ? "stored" : undefined
    }
  })

const attachedTo = ({ attached }: Body) => (attached === undefined ? {} : { attached })

/** Nobody runs it. */
const tell = (id: TaskId.TaskId, body: Body): Writes<void> => {
  switch (body.kind) {
    case "message":
      return visit(id, { message: body.text, ...attachedTo(body) })
    case "mode":
      return visit(id, {
        mode: body.mode,
        ...(body.text === undefined ? {} : { message: body.text }),
        ...attachedTo(body)
      })
    case "answer": {
      const { askId, decision, text } = body
      const given = { ...(decision === undefined ? {} : { decision }), ...(text === undefined ? {} : { text }) }
      return visit(id, { answer: { askId, ...given }, ...attachedTo(body) })
    }
  }
}

/** A message that begins with a switch of mode is that switch. Errors: `RequestRefused` when nothing was changed. */
export const say = (id: TaskId.TaskId, given: Body): Writes<Said> =>
  Effect.gen(function* () {
    const body = Words.asRequest(given)
    const row = yield* rowOf(id)
    if (row === undefined || row.record.status === "completed") return "completed"
    if (body.kind === "message" && !Message.isSaid(body.text) && body.attached === undefined)
      return yield* refuse(id, "blankMessage")
    if (body.kind === "answer") yield* judge(id, body)
    const { attempt, status } = row.record
    if (row.lease?.alive === true) {
      const said = yield* toOwner(id, attempt, body)
      if (said !== undefined) return said
    } else if (status !== "interrupted" && body.kind === "message") {
      yield* post(id, attempt, body)
      return "stored"
    }
    yield* tell(id, body)
    return "stored"
  })
