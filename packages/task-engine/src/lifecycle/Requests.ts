/**
 * What people say to a task while it runs here, or waits here for its subtasks: answers, messages, a switch of mode.
 *
 * Those of other processes come through the same functions, with the request that is marked in the same commit.
 */
import { type HistoryError, Inbox, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { DeepPlanning } from "@belay/modes"
import { type Command, TaskId } from "@belay/task-state"
import * as Deferred from "effect/Deferred"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Journal } from "../active/Journal.ts"
import { canEdit, canGrant, missing, type OpenAsk, type Reply, wants } from "../active/OpenAsk.ts"
import { refused, type RequestRefused } from "../active/RequestRefused.ts"
import { WaitingParents } from "../delegation/WaitingParents.ts"
import { attemptOf, fence, type ActiveTask } from "../active/ActiveTask.ts"
import * as UserIntent from "../prompt/UserIntent.ts"
import { Settings } from "@belay/settings"
import * as ModeChange from "./ModeChange.ts"
import type { AnswerInput, TaskEngine } from "./TaskEngine.ts"
import * as Transitions from "../active/Transitions.ts"

type Attached = ReadonlyArray<Message.Attachment> | undefined

export type Refusable = Effect.Effect<void, RequestRefused | Command.TransitionRejected | HistoryError.HistoryError>

/** Who asks: somebody of this process, unless told. */
type Origin = Pick<Reply, "by" | "requestId">

interface Asked extends Pick<TaskEngine["Service"], "configure" | "planDeeply" | "proposals" | "send"> {
  readonly answer: (id: TaskId.TaskId, askId: string, given: AnswerInput, origin?: Origin) => Refusable
  readonly switchMode: (
    id: TaskId.TaskId,
    mode: "plan" | "act",
    text?: string,
    attached?: ReadonlyArray<Message.Attachment>,
    origin?: Origin
  ) => Refusable
}

export class Requests extends Context.Service<Requests, Asked>()("@belay/task-engine/Requests") {
  static readonly layer = Layer.effect(
    Requests,
    Effect.gen(function* () {
      const parts: Parts = {
        resting: yield* WaitingParents,
        history: yield* TaskHistory,
        inbox: yield* Inbox,
        journal: yield* Journal
      }

      return Requests.of({
        proposals: proposals(parts),
        answer: (...asked) => answer(parts, ...asked),
        configure: (id, change) => configure(parts, id, change),
        planDeeply: (id, what) => switchMode(parts, id, "plan", `/deep-planning ${what}`),
        send: (id, text, attached) => send(parts, id, text, attached),
        switchMode: (...asked) => switchMode(parts, ...asked)
      })
    })
  )
}

interface Parts {
  readonly resting: WaitingParents["Service"]
  readonly history: TaskHistory["Service"]
  readonly inbox: Inbox["Service"]
  readonly journal: Journal["Service"]
}

const here: Origin = { by: "user" }

/** The model is to read something at the next turn boundary; a result that waits for the user's word is looked at now. */
export const heard = (running: ActiveTask): void => {
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

/** A runner that has just gone on comes to an ask that is still open within this time, or not at all. */
const early = { spaced: "20 millis", times: 100 } as const

const openAsk = Effect.fnUntraced(function* ({ history, journal }: Parts, running: ActiveTask, askId: string) {
  for (let looked = 0; looked < early.times; looked++) {
    const open = running.asks.get(askId)
    if (open !== undefined) return open
    const known = (yield* history.asks(running.id)).find((ask) => ask.askId === askId)
    if (known?.open === false) return yield* refused(running.id, "alreadyAnswered")
    if (known === undefined || journal.running.get(running.id) !== running) break
    yield* Effect.sleep(early.spaced)
  }
  return yield* refused(running.id, "unknownAsk")
})

const proposals =
  (parts: Parts): Requests["Service"]["proposals"] =>
  (id, askId) =>
    Effect.map(
      Effect.flatMap(runningOf(parts, id), (running) => openAsk(parts, running, askId)),
      (open) => open.proposals
    )

const answer = (parts: Parts, id: TaskId.TaskId, askId: string, given: AnswerInput, origin = here): Refusable =>
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

const configure = (
  parts: Parts,
  id: TaskId.TaskId,
  change: (now: Settings.TaskSettings) => Settings.TaskSettings
): Refusable =>
  Effect.gen(function* () {
    const running = yield* runningOf(parts, id)
    const settings = change(running.settings)
    const model = Settings.modelFor(settings, running.mode)
    yield* parts.journal.commit([{ _tag: "Configure", ...fence(running), settings, model }])
    Transitions.configured(running, settings)
  })
