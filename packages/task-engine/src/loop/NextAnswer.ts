/**
 * The next answer of the model: what it has to be told first, room for it, the request within the limits, and the answer
 * stored, with the reads that start at once, in one commit.
 */
import { type Step } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { Recovery } from "@belay/task-state"
import type { ModelError } from "@belay/model-client"
import { Pipeline } from "@belay/tool-executor"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Background } from "../delegation/Background.ts"
import { type Again, Budget } from "../limits/Budget.ts"
import * as Call from "../calls/Call.ts"
import { RequestLimit } from "../limits/RequestLimit.ts"
import { Checklists } from "../checklist/Checklists.ts"
import * as CutOff from "../prompt/CutOff.ts"
import * as Condensing from "./Condensing.ts"
import * as FileContext from "../active/FileContext.ts"
import { Journal } from "../active/Journal.ts"
import { CutOffCalls } from "../calls/CutOffCalls.ts"
import * as Progress from "../limits/Progress.ts"
import * as Prompt from "../prompt/Prompt.ts"
import { type Failure, fence, type ActiveTask } from "../active/ActiveTask.ts"
import { TaskScheduler } from "../active/Scheduler.ts"
import { ModelRetry } from "./ModelRetry.ts"
import * as SpoiledCalls from "../calls/SpoiledCalls.ts"
import type { StoppedShort } from "../active/StoppedShort.ts"
import { InterruptSignal } from "../interrupt/InterruptSignal.ts"
import { Surroundings } from "../context/Surroundings.ts"
import { nothing } from "./TextAnswer.ts"
import { Turn } from "./Turn.ts"
import { MessageContext } from "../context/MessageContext.ts"
import { Questions } from "../asks/Questions.ts"
import * as Notices from "../context/Notices.ts"
import { EngineOptions } from "../EngineOptions.ts"
import * as Transitions from "../active/Transitions.ts"

/** What came of it: an answer, or why there is none; nothing when the request is to be made again. */
export type Made =
  | {
      readonly _tag: "Answered"
      readonly message: Message.Message
      readonly states: Call.States
      /** The reads that its commit has started. */
      readonly started: ReadonlyMap<string, Call.Guarded>
    }
  /** A person was asked what to do. */
  | { readonly _tag: "Guided"; readonly next: Call.Next }
  | Condensing.Stopped
  | { readonly _tag: "Paused"; readonly reason: "budget"; readonly detail: string }

export class NextAnswer extends Context.Service<
  NextAnswer,
  {
    readonly make: (running: ActiveTask) => Effect.Effect<Made | undefined, Failure>
  }
>()("@belay/task-engine/NextAnswer") {
  static readonly layer = Layer.effect(
    NextAnswer,
    Effect.gen(function* () {
      const parts: Parts = {
        journal: yield* Journal,
        turn: yield* Turn,
        background: yield* Background,
        checklists: yield* Checklists,
        budget: yield* Budget,
        surroundings: yield* Surroundings,
        questions: yield* Questions,
        material: yield* MessageContext,
        service: yield* ModelRetry,
        scheduler: yield* TaskScheduler,
        stops: yield* InterruptSignal,
        checkIns: yield* RequestLimit,
        left: yield* CutOffCalls,
        condensing: yield* Condensing.Condensing,
        options: yield* EngineOptions
      }
      return NextAnswer.of({ make: make(parts) })
    })
  )
}

interface Parts {
  readonly journal: Journal["Service"]
  readonly turn: Turn["Service"]
  readonly background: Background["Service"]
  readonly checklists: Checklists["Service"]
  readonly budget: Budget["Service"]
  readonly surroundings: Surroundings["Service"]
  readonly questions: Questions["Service"]
  readonly material: MessageContext["Service"]
  readonly service: ModelRetry["Service"]
  readonly scheduler: TaskScheduler["Service"]
  readonly stops: InterruptSignal["Service"]
  readonly checkIns: RequestLimit["Service"]
  readonly left: CutOffCalls["Service"]
  readonly condensing: Condensing.Condensing["Service"]
  readonly options: EngineOptions["Service"]
}

/** What can be sent back: services refuse blank texts and messages without content. */
const sendable = (content: ReadonlyArray<Message.ContentBlock>): ReadonlyArray<Message.ContentBlock> => {
  const kept = content.filter((block) => block.type !== "text" || Message.isSaid(block.text))
  return kept.length === 0 ? [nothing] : kept
}

/** A task that goes on in a phase of deep planning is told which, once. */
const planningNote = (running: ActiveTask): ReadonlyArray<Step.Step> => {
  if (running.planning === undefined || running.conversation.planningTold || running.mode !== "plan") return []
  Transitions.planningTold(running)
  return [
    { _tag: "Append", ...fence(running), message: Message.from("engine.planning", Prompt.planning(running.planning)) }
  ]
}

/** Asks the model and stores its answer, with the reads that start at once, in one commit. */
const ask = Effect.fnUntraced(function* (parts: Parts, running: ActiveTask, again: Again) {
  const answered = yield* parts.stops.until(running, parts.service.answer(running, again))
  const { by } = answered
  const message: Message.Message = { role: "assistant", content: sendable(answered.message.content), by }
  const uses = Message.toolUses(message)
  const calls = uses.map((use) => ({ callId: use.id, name: use.name, input: use.input }))
  const { maxTokens, spoiled, stopReason } = answered
  const isCut = stopReason === "max_tokens"
  const cutAt = isCut ? CutOff.outputLimit(maxTokens) : CutOff.context
  const isCutText = isCut && uses.length === 0
  const lost = SpoiledCalls.results(running, { message, spoiled, cutAt })
  const states = Call.requested(
    message,
    lost.map(({ callId }) => callId)
  )
  const ready = yield* parts.turn.leading(running, message, states)
  const progress = calls.map(Pipeline.taskProgress).findLast((text) => text !== undefined)
  const steps: ReadonlyArray<Step.Step> = [
    {
      _tag: "Answer",
      ...fence(running),
      message,
      calls: calls.map((call) => {
        const rule = ready.get(call.callId)?.ready.decision.rule
        const asked = { callId: call.callId, name: call.name, argsHash: Pipeline.argsHash(call) }
        return rule === undefined ? asked : { ...asked, started: true, rule }
      }),
      usage: answered.usage,
      model: answered.model,
      costUsd: answered.costUsd
    },
    ...(progress === undefined ? [] : yield* parts.checklists.progress(running, progress)),
    ...(lost.length === 0 ? [] : [{ _tag: "CallsSettled" as const, ...fence(running), results: lost }]),
    // With the answer: after a crash, too, it is not taken for a whole one.
    ...(isCutText
      ? [
          {
            _tag: "Append" as const,
            ...fence(running),
            message: Message.from("engine.cutOff", CutOff.ofText(cutAt))
          }
        ]
      : [])
  ]
  yield* parts.journal.commit(steps, calls.length > 0 ? { commit: "tool.requested" } : undefined)
  if (isCutText) Progress.mistaken(running, CutOff.mistake)
  return { _tag: "Answered" as const, message, states, started: ready }
})

/** A request that leaves no room for an answer, or that the service finds too long, is made once more, shorter. */
const failed = (
  { condensing, service }: Parts,
  running: ActiveTask,
  error: ModelError.ModelError | StoppedShort
): Effect.Effect<Condensing.Stopped | undefined, Failure> => {
  if (error._tag === "StoppedShort") return error.reason === "context" ? condensing.tooLong(running) : error
  return error.reason._tag === "InvalidRequest" && error.reason.promptTooLong
    ? condensing.tooLong(running)
    : Effect.as(service.failed(running, error), undefined)
}

const give = Effect.fnUntraced(function* ({ journal, material }: Parts, running: ActiveTask) {
  const steps = yield* material.steps(running)
  if (steps.length === 0) return
  const saw = Effect.sync(() => {
    for (const step of steps) if (step._tag === "FilesShown") FileContext.saw(running, step.files)
  })
  yield* Effect.uninterruptible(Effect.andThen(journal.commit(steps), saw))
})

/** The steps that tell the model what its tools have to tell. */
const noticed = ({ options }: Parts, running: ActiveTask) =>
  options.notices === undefined ? Effect.succeed([]) : Notices.steps(options.notices, running)

/** Stores what the model has to know of since its last request. */
const tellNews = Effect.fnUntraced(function* (parts: Parts, running: ActiveTask) {
  if (Transitions.reads(running)) {
    yield* parts.journal.commit([{ _tag: "Deliver", ...fence(running) }])
  }
  yield* parts.background.deliver(running)
  const happened = yield* parts.left.news(running)
  const notes = [
    ...happened.steps,
    ...(yield* parts.surroundings.changes(running)),
    ...planningNote(running),
    ...(yield* parts.checklists.review(running))
  ]
  if (notes.length > 0) yield* parts.journal.commit(notes)
  happened.told()
  yield* FileContext.review(parts.journal, running)
})

/** Gives the model what its messages speak of, and makes room for its answer; why there is none, else nothing. */
const makeReady = Effect.fnUntraced(function* (parts: Parts, running: ActiveTask) {
  yield* give(parts, running)
  const given = running.conversation.lastSeq
  const noRoom = yield* parts.condensing.makeRoom(running)
  if (noRoom !== undefined) return noRoom
  // Also what was condensed away a moment ago.
  if (running.conversation.lastSeq !== given) {
    const again = yield* parts.surroundings.changes(running)
    if (again.length > 0) yield* parts.journal.commit(again)
    yield* give(parts, running)
  }
  const told = yield* noticed(parts, running)
  if (told.length > 0) yield* parts.journal.commit(told)
  return undefined
})

const make = (parts: Parts): NextAnswer["Service"]["make"] =>
  Effect.fn("NextAnswer.make")(function* (running) {
    // It was given up while the task waited for subtasks or people.
    yield* parts.scheduler.acquire(running, "waking")
    yield* tellNews(parts, running)
    Transitions.noted(running, Recovery.answerOver)
    if (running.progress.recovery._tag === "NeedsGuidance") {
      yield* parts.budget.release(running)
      const next = yield* parts.questions.guidance(running, Prompt.noProgress(running.progress.recovery))
      return { _tag: "Guided", next }
    }
    const why = yield* parts.checkIns.due(running)
    if (why !== undefined) return { _tag: "Paused", reason: "budget", detail: why }
    const noRoom = yield* makeReady(parts, running)
    if (noRoom !== undefined) return noRoom
    Transitions.noted(running, Recovery.request)
    const answered = yield* parts.budget
      .within(running, (again) => ask(parts, running, again))
      .pipe(Effect.catchTag(["ModelError", "StoppedShort"], (error) => failed(parts, running, error)))
    // The next step makes the request again.
    if (answered === undefined || answered._tag === "Pause" || answered._tag === "Limited") return answered
    if (answered._tag === "Refused") return { _tag: "Limited", ...answered.by }
    Transitions.tooLong(running, false)
    return answered.value
  })
