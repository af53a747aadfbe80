/**
 * What people say to a task while it runs here: answers, messages, a switch of mode; from this process or another.
 *
 * Both come through the same functions. A request of another process is marked as carried out in the commit that carries
 * it out, so it counts once; one that is meant for an attempt that is over changes nothing.
 */
import { type HistoryError, Inbox, type InboxRequest, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { DeepPlanning } from "@belay/modes"
import { type Command, TaskId } from "@belay/task-state"
import * as Deferred from "effect/Deferred"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { Journal } from "../active/Journal.ts"
import { canEdit, canGrant, missing, type OpenAsk, type Reply, wants } from "../active/OpenAsk.ts"
import { TaskRegistry } from "../active/Registry.ts"
import * as Releasing from "../delegation/Releasing.ts"
import { refused, type RequestRefused } from "../active/RequestRefused.ts"
import { WaitingParents } from "../delegation/WaitingParents.ts"
import { attemptOf, fence, type ActiveTask } from "../active/ActiveTask.ts"
import * as UserIntent from "../prompt/UserIntent.ts"
import { Settings } from "@belay/settings"
import * as ModeChange from "./ModeChange.ts"
import type { Given, TaskEngine } from "./TaskEngine.ts"
import * as Transitions from "../active/Transitions.ts"

type Attached = ReadonlyArray<Message.Attachment> | undefined

type Refusable = Effect.Effect<void, RequestRefused | Command.TransitionRejected | HistoryError.HistoryError>

interface Asked extends Pick<TaskEngine["Service"], "answer" | "planDeeply" | "proposals" | "send" | "switchMode"> {
  /** Carries out what other processes asked for; false when a task was not ready to be asked. */
  readonly carryOut: Effect.Effect<boolean, HistoryError.HistoryError>
  /** Accepts every result that waits for the user's word here, and ends when that is stored. */
  readonly acceptOffered: (by: "next task" | "host") => Effect.Effect<void>
}

export class Requests extends Context.Service<Requests, Asked>()("@belay/task-engine/Requests") {
  static readonly layer = Layer.effect(
    Requests,
    Effect.gen(function* () {
      const parts: Parts = {
        releasing: yield* Releasing.Releasing,
        resting: yield* WaitingParents,
        history: yield* TaskHistory,
        inbox: yield* Inbox,
        journal: yield* Journal,
        registry: yield* TaskRegistry,
        underWay: new Set()
      }
      // A host that ends as it should has accepted what was offered.
      yield* Effect.addFinalizer((exit) => (Exit.isSuccess(exit) ? acceptOffered(parts)("host") : Effect.void))

      return Requests.of({
        proposals: proposals(parts),
        answer: (id, askId, given) => answer(parts, id, askId, given),
        planDeeply: (id, what) => switchMode(parts, id, "plan", `/deep-planning ${what}`),
        send: (id, text, attached) => send(parts, id, text, attached),
        switchMode: (id, mode, text, attached) => switchMode(parts, id, mode, text, attached),
        carryOut: carryOut(parts),
        acceptOffered: acceptOffered(parts)
      })
    })
  )
}

interface Parts {
  readonly releasing: Releasing.Releasing["Service"]
  readonly resting: WaitingParents["Service"]
  readonly history: TaskHistory["Service"]
  readonly inbox: Inbox["Service"]
  readonly journal: Journal["Service"]
  readonly registry: TaskRegistry["Service"]
  /** The ids of requests that are being carried out. */
  readonly underWay: Set<string>
}

type Origin = Pick<Reply, "by" | "requestId">

const here: Origin = { by: "user" }

/** The model is to read something at the next turn boundary; a result that waits for the user's word is looked at now. */
const heard = (running: ActiveTask): void => {
  Transitions.mustRead(running)
  running.news.openUnsafe()
}

const isApplied = ({ inbox }: Parts, requestId: string) =>
  Effect.map(
    inbox.reply(requestId),
    Option.exists(({ _tag }) => _tag === "applied")
  )

const runningOf = ({ journal }: Parts, id: TaskId.TaskId) => {
  const running = journal.running.get(id)
  return running === undefined ? Effect.fail(refused(id, "notRunning")) : Effect.succeed(running)
}

/** Ends when the answer is stored. */
const settle = ({ id }: ActiveTask, open: OpenAsk, reply: Reply): Refusable =>
  Effect.gen(function* () {
    if (!(yield* Deferred.succeed(open.reply, reply))) return yield* refused(id, "alreadyAnswered")
    if (!(yield* Deferred.await(open.stored))) return yield* refused(id, "notRunning")
  })

const openAsk = Effect.fnUntraced(function* ({ history }: Parts, running: ActiveTask, askId: string) {
  const open = running.asks.get(askId)
  if (open !== undefined) return open
  const known = (yield* history.asks(running.id)).find((ask) => ask.askId === askId)
  return yield* refused(running.id, known?.open === false ? "alreadyAnswered" : "unknownAsk")
})

const proposals =
  (parts: Parts): Requests["Service"]["proposals"] =>
  (id, askId) =>
    Effect.map(
      Effect.flatMap(runningOf(parts, id), (running) => openAsk(parts, running, askId)),
      (open) => open.proposals
    )

const answer = (parts: Parts, id: TaskId.TaskId, askId: string, given: Given, origin = here): Refusable =>
  Effect.gen(function* () {
    const running = yield* runningOf(parts, id)
    const open = yield* openAsk(parts, running, askId)
    const wanted = wants(open.ask)
    const missed = missing(wanted, given)
    if (missed !== undefined) return yield* refused(id, missed)
    if (!canEdit(open, given)) return yield* refused(id, "unknownFile")
    if (!canGrant(open, given)) return yield* refused(id, "notOffered")
    // Words alone say what to do instead.
    const decision = wanted === "decision" ? { decision: given.decision ?? "deny" } : {}
    yield* settle(running, open, { ...given, ...decision, ...origin })
  })

const send = (parts: Parts, id: TaskId.TaskId, text: string, attached?: Attached, by = here.by): Refusable =>
  Effect.gen(function* () {
    if (!Message.isSaid(text) && attached === undefined) return yield* refused(id, "blankMessage")
    const told = UserIntent.asSwitch(text)
    if (told !== undefined) return yield* switchMode(parts, id, told.mode, told.text, attached, { by })
    const messageId = yield* TaskId.make
    const posted = (attempt: number) =>
      parts.inbox.post({ id: messageId, taskId: id, attempt, by, kind: "message", text, ...(attached && { attached }) })
    const rests = yield* parts.resting.row(id)
    if (Option.isSome(rests)) return yield* posted(rests.value.attempt)
    const running = yield* runningOf(parts, id)
    yield* posted(attemptOf(running))
    heard(running)
    // It has completed before, and reads nothing any more.
    const row = yield* parts.history.row(id)
    const isOver = Option.isSome(row) && row.value.record.status === "completed"
    if (isOver && !(yield* isApplied(parts, messageId))) return yield* refused(id, "notRunning")
  })

const switchMode = (
  parts: Parts,
  id: TaskId.TaskId,
  mode: "plan" | "act",
  words?: string,
  attached?: Attached,
  origin = here
): Refusable =>
  Effect.gen(function* () {
    const { planning, text } = UserIntent.withSwitch(mode, words)
    const switching = { mode, attached, planning, requestId: origin.requestId }
    const itsId = origin.requestId ?? (yield* TaskId.make)
    const rests = yield* parts.resting.row(id)
    if (Option.isSome(rests)) {
      const { attempt, mode: current, settings, taskId } = rests.value
      const model = Settings.modelIn(settings, mode)
      const fenced = { taskId, attempt }
      const steps = ModeChange.steps({ ...switching, id: itsId, fenced, current, text, model })
      if (steps.length > 0) yield* parts.journal.commit(steps)
      return
    }
    const running = yield* runningOf(parts, id)
    const plan = [...running.asks.values()].find(({ ask }) => ask.kind === "plan")
    if (running.mode === "act" || mode === "plan" || plan === undefined) {
      const model = { model: Settings.modelFor(running.settings, mode) }
      // Its runner is told of the phase here; one that begins later tells the model itself.
      const said = planning === undefined ? text : `${text}\n\n${DeepPlanning.notice(planning)}`
      const fenced = fence(running)
      const steps = ModeChange.steps({ ...switching, id: itsId, fenced, current: running.mode, text: said, model })
      if (steps.length > 0) yield* parts.journal.commit(steps)
      if (mode === "plan") ModeChange.judgeAgain(running)
      return heard(running)
    }
    yield* settle(running, plan, { text: text ?? "", switchToAct: true, ...(attached && { attached }), ...origin })
  })

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

/** Somebody else may be doing so at the same moment. */
const acceptOffered =
  (parts: Parts): Requests["Service"]["acceptOffered"] =>
  (by) =>
    Effect.suspend(() => {
      const running = [...parts.journal.running.values()]
      const open = running.flatMap(({ asks, id }) => [...asks.values()].map(({ ask }) => ({ ask, id })))
      return Effect.forEach(
        open.filter(({ ask }) => ask.kind === "completion"),
        ({ ask, id }) => Effect.ignore(answer(parts, id, ask.askId, { decision: "allow" }, { by })),
        { concurrency: "unbounded", discard: true }
      )
    })

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
      return once(parts, request, answer(parts, taskId, askId, given, origin))
    }
    case "mode":
      return once(parts, request, switchMode(parts, taskId, request.mode, request.text, request.attached, origin))
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
        switchMode(parts, taskId, request.mode, request.text, request.attached, { by, requestId: id })
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
