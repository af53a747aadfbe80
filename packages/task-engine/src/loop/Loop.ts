/**
 * The loop of one task: answer, calls, results, again, until it completes, pauses or waits.
 *
 * Where it stands is read from the log alone, so a resumed task goes on exactly where the stored history ends.
 */
import type { Checkpoints } from "@belay/checkpoints"
import { type Inbox, type Step, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { Recovery, type TaskRecord } from "@belay/task-state"
import type { ModelError } from "@belay/model-client"
import { Pipeline, Tool, type ToolCatalog } from "@belay/tool-executor"
import * as Effect from "effect/Effect"
import type { Background } from "../delegation/Background.ts"
import type { Again, Budget, Exceeded } from "../limits/Budget.ts"
import * as Call from "../calls/Call.ts"
import * as RequestLimit from "../limits/RequestLimit.ts"
import * as TaskCompletion from "../lifecycle/TaskCompletion.ts"
import type { Checklists } from "../checklist/Checklists.ts"
import type { Checkpointing } from "../checkpoints/Checkpointing.ts"
import * as CutOff from "../prompt/CutOff.ts"
import type { Delegation } from "../delegation/Delegation.ts"
import * as Condensing from "./Condensing.ts"
import * as FileContext from "../active/FileContext.ts"
import * as PlanHandoff from "../lifecycle/PlanHandoff.ts"
import { Journal } from "../active/Journal.ts"
import * as CutOffCalls from "../calls/CutOffCalls.ts"
import type { ModelTurn } from "../model/ModelTurn.ts"
import * as Progress from "../limits/Progress.ts"
import * as Prompt from "../prompt/Prompt.ts"
import { type Failure, fence, lastMessage, noted, type ActiveTask } from "../active/ActiveTask.ts"
import { TaskScheduler } from "../active/Scheduler.ts"
import * as ModelRetry from "./ModelRetry.ts"
import * as SpoiledCalls from "../calls/SpoiledCalls.ts"
import type { StoppedShort } from "../active/StoppedShort.ts"
import * as InterruptSignal from "../interrupt/InterruptSignal.ts"
import type { Surroundings } from "../context/Surroundings.ts"
import * as TextAnswer from "./TextAnswer.ts"
import type { Turn } from "./Turn.ts"

export type End =
  | { readonly _tag: "Completed" }
  /** Its remaining subtasks have stopped; it stays delegated. */
  | { readonly _tag: "Waiting" }
  | { readonly _tag: "Paused"; readonly reason: TaskRecord.InterruptReason; readonly detail?: string }
  | ({ readonly _tag: "Limited" } & Exceeded)

const completed: End = { _tag: "Completed" }

export interface Parts {
  readonly model: ModelTurn
  readonly turn: Turn
  readonly delegation: Delegation
  readonly background: Background
  readonly checklists: Checklists
  readonly checkpointing: Checkpointing
  readonly budget: Budget
  readonly surroundings: Surroundings
  readonly successions: PlanHandoff.Successions
  /** The steps that tell the model what its tools have to tell. */
  readonly notices: (running: ActiveTask) => Effect.Effect<ReadonlyArray<Step.Step>>
}

/** What can be sent back: services refuse blank texts and messages without content. */
const sendable = (content: ReadonlyArray<Message.ContentBlock>): ReadonlyArray<Message.ContentBlock> => {
  const kept = content.filter((block) => block.type !== "text" || Message.isSaid(block.text))
  return kept.length === 0 ? [TextAnswer.nothing] : kept
}

/** A task that goes on in a phase of deep planning is told which, once. */
const planningNote = (running: ActiveTask): ReadonlyArray<Step.Step> => {
  if (running.planning === undefined || running.planningTold || running.mode !== "plan") return []
  running.planningTold = true
  return [
    { _tag: "Append", ...fence(running), message: Message.from("engine.planning", Prompt.planning(running.planning)) }
  ]
}

export const make = (
  parts: Parts
): Effect.Effect<
  (running: ActiveTask) => Effect.Effect<End, Failure>,
  never,
  Checkpoints | Journal | TaskHistory | TaskScheduler | ToolCatalog | Inbox
> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const history = yield* TaskHistory
    const { background, budget, checklists, checkpointing, delegation, model, turn } = parts
    const service = yield* ModelRetry.make(model, turn.questions)
    const complete = yield* TaskCompletion.make(turn.questions, checklists)
    const handOver = yield* PlanHandoff.make(parts.successions, checklists, parts.surroundings)
    const answerInText = yield* TextAnswer.make(turn.questions, checklists)
    const scheduler = yield* TaskScheduler
    const stops = yield* InterruptSignal.make
    const checkIns = yield* RequestLimit.make
    const left = yield* CutOffCalls.make
    const condensing = yield* Condensing.make({ model, budget, questions: turn.questions, stops })

    /** Asks the model and stores its answer, with the reads that start at once, in one commit. */
    const ask = (running: ActiveTask, again: Again) =>
      Effect.gen(function* () {
        const answered = yield* stops.until(running, service.answer(running, again))
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
        const ready = yield* turn.leading(running, message, states)
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
          ...(progress === undefined ? [] : yield* checklists.progress(running, progress)),
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
        yield* journal.commit(steps, calls.length > 0 ? { commit: "tool.requested" } : undefined)
        if (isCutText) Progress.mistaken(running, CutOff.mistake)
        return { message, states, ready }
      })

    const wait = (running: ActiveTask) =>
      Effect.map(delegation.awaitChildren(running), (goesOn): End | undefined => {
        if (!goesOn) return { _tag: "Waiting" }
        noted(running, Recovery.success)
        return undefined
      })

    const follow = (running: ActiveTask, next: Call.Next): Effect.Effect<End | undefined, Failure> =>
      Effect.gen(function* () {
        switch (next._tag) {
          case "GoOn":
            return undefined
          case "Pause":
            return { ...next, _tag: "Paused" }
          case "Complete":
            return (yield* complete(running, next.result, next.callId)) ? completed : undefined
          case "HandOver":
            return (yield* handOver(running, next)) ? completed : undefined
          case "Delegate": {
            const refused = yield* delegation.delegate(running, next.calls)
            if (refused === undefined) return running.record.status === "delegated" ? yield* wait(running) : undefined
            yield* turn.refuseAll(running, next.calls, refused)
            return undefined
          }
        }
      })

    const withoutCall = (running: ActiveTask) => Effect.flatMap(answerInText(running), (next) => follow(running, next))

    const afterCalls = (
      running: ActiveTask,
      message: Message.Message,
      states: Call.States,
      started: ReadonlyMap<string, Call.Guarded>
    ) => Effect.flatMap(turn.carryOut(running, message, states, started), (next) => follow(running, next))

    const ended = (stopped: Condensing.Stopped): End =>
      stopped._tag === "Pause" ? { ...stopped, _tag: "Paused" } : stopped

    /** A request that leaves no room for an answer, or that the service finds too long, is made once more, shorter. */
    const failed = (
      running: ActiveTask,
      error: ModelError.ModelError | StoppedShort
    ): Effect.Effect<Condensing.Stopped | undefined, Failure> => {
      if (error._tag === "StoppedShort") return error.reason === "context" ? condensing.tooLong(running) : error
      return error.reason._tag === "InvalidRequest" && error.reason.promptTooLong
        ? condensing.tooLong(running)
        : Effect.as(service.failed(running, error), undefined)
    }

    const give = (running: ActiveTask) =>
      Effect.gen(function* () {
        const steps = yield* turn.material(running)
        if (steps.length === 0) return
        const saw = Effect.sync(() => {
          for (const step of steps) if (step._tag === "FilesShown") FileContext.saw(running, step.files)
        })
        yield* Effect.uninterruptible(Effect.andThen(journal.commit(steps), saw))
      })

    const request = (running: ActiveTask) =>
      Effect.gen(function* () {
        // It was given up while the task waited for subtasks or people.
        yield* scheduler.acquire(running, "waking")
        if (running.unread) {
          running.unread = false
          yield* journal.commit([{ _tag: "Deliver", ...fence(running) }])
        }
        yield* background.deliver(running)
        const happened = yield* left.news(running)
        const notes = [
          ...happened.steps,
          ...(yield* parts.surroundings.changes(running)),
          ...planningNote(running),
          ...(yield* checklists.review(running))
        ]
        if (notes.length > 0) yield* journal.commit(notes)
        happened.told()
        yield* Effect.provideService(FileContext.review(running), Journal, journal)
        noted(running, Recovery.answerOver)
        if (running.recovery._tag === "NeedsGuidance") {
          return yield* follow(running, yield* turn.questions.guidance(running, Prompt.noProgress(running.recovery)))
        }
        const why = yield* checkIns.due(running)
        if (why !== undefined) return { _tag: "Paused", reason: "budget", detail: why } satisfies End
        yield* give(running)
        const given = running.lastSeq
        const noRoom = yield* condensing.makeRoom(running)
        if (noRoom !== undefined) return ended(noRoom)
        // Also what was condensed away a moment ago.
        if (running.lastSeq !== given) {
          const again = yield* parts.surroundings.changes(running)
          if (again.length > 0) yield* journal.commit(again)
          yield* give(running)
        }
        const told = yield* parts.notices(running)
        if (told.length > 0) yield* journal.commit(told)
        noted(running, Recovery.request)
        const answered = yield* budget
          .within(running, (again) => ask(running, again))
          .pipe(Effect.catchTag(["ModelError", "StoppedShort"], (error) => failed(running, error)))
        // The next step makes the request again.
        if (answered === undefined) return undefined
        if (answered._tag === "Pause" || answered._tag === "Limited") return ended(answered)
        if (answered._tag === "Refused") return { _tag: "Limited", ...answered.by } satisfies End
        running.wasTooLong = false
        const { message, ready, states } = answered.value
        if (Message.toolUses(message).length > 0) return yield* afterCalls(running, message, states, ready)
        return lastMessage(running)?.role === "user" ? undefined : yield* withoutCall(running)
      })

    /** Calls that a cut has settled without a result, and that are shown again: the model is told so, and goes on. */
    const answerSettled = (running: ActiveTask, last: Message.LoggedMessage) =>
      Effect.gen(function* () {
        const { content } = Tool.failure(Prompt.shownAgain)
        const results = Message.toolUses(last).map(({ id }): Message.ToolResultBlock => ({
          type: "tool_result",
          tool_use_id: id,
          content,
          is_error: true
        }))
        yield* journal.commit([{ _tag: "Append", ...fence(running), message: Message.from("tool", ...results) }])
        return undefined
      })

    /** One step from where the log ends; the end of the loop, or nothing to go on. */
    const step = (running: ActiveTask): Effect.Effect<End | undefined, Failure> =>
      Effect.gen(function* () {
        if (running.record.status === "delegated") return yield* wait(running)
        const last = lastMessage(running)
        if (last === undefined || last.role === "user") return yield* request(running)
        if (Message.toolUses(last).length === 0) return yield* withoutCall(running)
        const states = Call.statesOf(yield* history.calls(running.id), last.index)
        if (Call.areSettled(last, states)) return yield* answerSettled(running, last)
        return yield* afterCalls(running, last, states, new Map())
      })

    const steps = (running: ActiveTask) =>
      Effect.gen(function* () {
        if (running.record.attempt > 1) {
          yield* turn.recall(running)
          yield* checkpointing.recall(running)
        }
        yield* background.launch(running)
        for (;;) {
          const end = yield* step(running)
          if (end !== undefined) return end
        }
      })

    const followed = (running: ActiveTask) =>
      Effect.andThen(Effect.forkScoped(checklists.follow(running)), steps(running)).pipe(Effect.scoped)

    return (running) => {
      if (running.settings.maxDurationMinutes === null) return followed(running)
      const late = Effect.map(budget.timeUp(running), (by): End => ({ _tag: "Limited", ...by }))
      return Effect.raceFirst(followed(running), late)
    }
  })
