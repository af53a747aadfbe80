/**
 * What other processes ask of the tasks that this one has. Each request is carried out by the functions that people of this
 * process use, and marked as carried out in the commit that does so: it counts once. One that is meant for an attempt that
 * is over changes nothing.
 */
import { type HistoryError, Inbox, type InboxRequest, TaskHistory } from "@belay/history-store"
import type { Command } from "@belay/task-state"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type ActiveTask, attemptOf } from "../active/ActiveTask.ts"
import { Journal } from "../active/Journal.ts"
import { TaskRegistry } from "../active/Registry.ts"
import { refused, type RequestRefused } from "../active/RequestRefused.ts"
import * as Releasing from "../delegation/Releasing.ts"
import { WaitingParents } from "../delegation/WaitingParents.ts"
import { heard, type Refusable, Requests } from "./Requests.ts"

export class InboxRequests extends Context.Service<
  InboxRequests,
  {
    /** Carries out what is asked; false when a task was not ready to be asked. */
    readonly carryOut: Effect.Effect<boolean, HistoryError.HistoryError>
  }
>()("@belay/task-engine/InboxRequests") {
  static readonly layer = Layer.effect(
    InboxRequests,
    Effect.gen(function* () {
      const parts: Parts = {
        requests: yield* Requests,
        releasing: yield* Releasing.Releasing,
        resting: yield* WaitingParents,
        history: yield* TaskHistory,
        inbox: yield* Inbox,
        journal: yield* Journal,
        registry: yield* TaskRegistry,
        underWay: new Set()
      }
      return InboxRequests.of({ carryOut: carryOut(parts) })
    })
  )
}

interface Parts {
  readonly requests: Requests["Service"]
  readonly releasing: Releasing.Releasing["Service"]
  readonly resting: WaitingParents["Service"]
  readonly history: TaskHistory["Service"]
  readonly inbox: Inbox["Service"]
  readonly journal: Journal["Service"]
  readonly registry: TaskRegistry["Service"]
  /** The ids of requests that are being carried out. */
  readonly underWay: Set<string>
}

/** What changed nothing is marked with why, unless its task stopped before it could be heard. */
const refuse = ({ journal }: Parts, requestId: string, failure: RequestRefused | Command.TransitionRejected) => {
  const refusal = failure._tag === "RequestRefused" ? failure.reason : failure.rule
  return refusal === "notRunning" || refusal === "LeaseLost"
    ? Effect.void
    : Effect.asVoid(journal.commit([{ _tag: "RequestApplied", requestId, refusal }]))
}

const once = (parts: Parts, { id }: Pick<InboxRequest, "id">, effect: Refusable) => {
  if (parts.underWay.has(id)) return Effect.void
  parts.underWay.add(id)
  const marked = effect.pipe(
    Effect.catchTags({
      RequestRefused: (refused) => refuse(parts, id, refused),
      TransitionRejected: (rejected) => refuse(parts, id, rejected)
    }),
    Effect.ignore,
    Effect.ensuring(Effect.sync(() => parts.underWay.delete(id)))
  )
  return Effect.forkDetach(marked)
}

/** It waits with the task from now on; who said it need not wait until the model reads it. */
const accept = Effect.fnUntraced(
  function* ({ inbox, journal }: Parts, { id }: InboxRequest) {
    if (Option.isNone(yield* inbox.reply(id))) yield* journal.commit([{ _tag: "RequestAccepted", requestId: id }])
  },
  Effect.catchTag("TransitionRejected", Effect.die)
)

const carry = (parts: Parts, running: ActiveTask, request: Exclude<InboxRequest, Releasing.ReleaseRequest>) => {
  const { by, id, taskId } = request
  const origin = { by, requestId: id }
  switch (request.kind) {
    case "interrupt":
      return Effect.forkDetach(parts.registry.stop(taskId, { reason: "user", requestId: id }))
    case "message":
      heard(running)
      return accept(parts, request)
    case "answer": {
      const { askId, attached, decision, edited, grant, text } = request
      const given = {
        ...(attached === undefined ? {} : { attached }),
        ...(decision === undefined ? {} : { decision }),
        ...(text === undefined ? {} : { text }),
        ...(edited === undefined ? {} : { edited }),
        ...(grant === undefined ? {} : { grant })
      }
      return once(parts, request, parts.requests.answer(taskId, askId, given, origin))
    }
    case "mode":
      return once(
        parts,
        request,
        parts.requests.switchMode(taskId, request.mode, request.text, request.attached, origin)
      )
  }
}

/** Nothing asks in a task that rests, and what is said to it waits until it goes on. */
const carryAtRest = (parts: Parts, request: Exclude<InboxRequest, Releasing.ReleaseRequest>) => {
  const { by, id, taskId } = request
  switch (request.kind) {
    case "interrupt":
      return once(parts, request, Effect.asVoid(parts.resting.stop(taskId, "user", id)))
    case "message":
      return accept(parts, request)
    case "answer":
      return once(parts, request, refused(taskId, "unknownAsk"))
    case "mode":
      return once(
        parts,
        request,
        parts.requests.switchMode(taskId, request.mode, request.text, request.attached, { by, requestId: id })
      )
  }
}

/** The task has gone on, and its runner has not come to the ask that is still open: the answer waits for it. */
const isEarly = ({ history }: Parts, running: ActiveTask, request: InboxRequest) => {
  if (request.kind !== "answer" || running.asks.has(request.askId)) return Effect.succeed(false)
  return Effect.map(history.asks(running.id), (asks) => asks.some(({ askId, open }) => open && askId === request.askId))
}

const carryOut = (parts: Parts) =>
  Effect.gen(function* () {
    let all = true
    for (const request of yield* parts.inbox.pending) {
      const running = parts.journal.running.get(request.taskId)
      if (request.kind === "unreadable") yield* once(parts, request, refused(request.taskId, "unreadable"))
      else if (Releasing.isRelease(request)) yield* once(parts, request, parts.releasing.release(request))
      else if (running === undefined && Option.isSome(yield* parts.resting.row(request.taskId)))
        yield* carryAtRest(parts, request)
      else if (running === undefined) all = false
      else if (request.kind === "message" || attemptOf(running) === request.attempt) {
        if (yield* isEarly(parts, running, request)) all = false
        else yield* carry(parts, running, request)
      }
    }
    return all
  })
