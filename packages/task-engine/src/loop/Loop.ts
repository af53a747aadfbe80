/**
 * The loop of one task: answer, calls, results, again, until it completes, pauses or waits.
 *
 * Where it stands is read from the log alone, so a resumed task goes on exactly where the stored history ends.
 */
import { TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { Recovery, type TaskRecord } from "@belay/task-state"
import { Tool } from "@belay/tool-executor"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Background } from "../delegation/Background.ts"
import { Budget, type Exceeded } from "../limits/Budget.ts"
import * as Call from "../calls/Call.ts"
import { TaskCompletion } from "../lifecycle/TaskCompletion.ts"
import { Checklists } from "../checklist/Checklists.ts"
import { Checkpointing } from "../checkpoints/Checkpointing.ts"
import { Delegation } from "../delegation/Delegation.ts"
import { PlanHandoff } from "../lifecycle/PlanHandoff.ts"
import { Journal } from "../active/Journal.ts"
import * as Prompt from "../prompt/Prompt.ts"
import { type Failure, fence, lastMessage, type ActiveTask } from "../active/ActiveTask.ts"
import * as Transitions from "../active/Transitions.ts"
import { TextAnswer } from "./TextAnswer.ts"
import { Turn } from "./Turn.ts"
import { RestoredCounters } from "../limits/RestoredCounters.ts"
import { NextAnswer } from "./NextAnswer.ts"

export type End =
  | { readonly _tag: "Completed" }
  /** Its remaining subtasks have stopped; it stays delegated. */
  | { readonly _tag: "Waiting" }
  | { readonly _tag: "Paused"; readonly reason: TaskRecord.InterruptReason; readonly detail?: string }
  | ({ readonly _tag: "Limited" } & Exceeded)

const completed: End = { _tag: "Completed" }

export class Loop extends Context.Service<
  Loop,
  {
    /** Runs a task from where its log ends until it completes, pauses or waits. */
    readonly run: (running: ActiveTask) => Effect.Effect<End, Failure>
  }
>()("@belay/task-engine/Loop") {
  static readonly layer = Layer.effect(
    Loop,
    Effect.gen(function* () {
      const parts: Parts = {
        nextAnswer: yield* NextAnswer,
        journal: yield* Journal,
        history: yield* TaskHistory,
        turn: yield* Turn,
        delegation: yield* Delegation,
        background: yield* Background,
        checklists: yield* Checklists,
        checkpointing: yield* Checkpointing,
        budget: yield* Budget,
        counters: yield* RestoredCounters,
        completion: yield* TaskCompletion,
        handoff: yield* PlanHandoff,
        textAnswer: yield* TextAnswer
      }
      return Loop.of({ run: run(parts) })
    })
  )
}

interface Parts {
  readonly nextAnswer: NextAnswer["Service"]
  readonly journal: Journal["Service"]
  readonly history: TaskHistory["Service"]
  readonly turn: Turn["Service"]
  readonly delegation: Delegation["Service"]
  readonly background: Background["Service"]
  readonly checklists: Checklists["Service"]
  readonly checkpointing: Checkpointing["Service"]
  readonly budget: Budget["Service"]
  readonly counters: RestoredCounters["Service"]
  readonly completion: TaskCompletion["Service"]
  readonly handoff: PlanHandoff["Service"]
  readonly textAnswer: TextAnswer["Service"]
}

const wait = ({ delegation }: Parts, running: ActiveTask) =>
  Effect.map(delegation.awaitChildren(running), (goesOn): End | undefined => {
    if (!goesOn) return { _tag: "Waiting" }
    Transitions.noted(running, Recovery.success)
    return undefined
  })

const follow = Effect.fnUntraced(function* (
  parts: Parts,
  running: ActiveTask,
  next: Call.Next
): Effect.fn.Return<End | undefined, Failure> {
  switch (next._tag) {
    case "GoOn":
      return undefined
    case "Pause":
      return { ...next, _tag: "Paused" }
    case "Complete":
      return (yield* parts.completion.complete(running, next.result, next.callId)) ? completed : undefined
    case "HandOver":
      return (yield* parts.handoff.handOver(running, next)) ? completed : undefined
    case "Delegate": {
      const refused = yield* parts.delegation.delegate(running, next.calls)
      if (refused === undefined) return running.record.status === "delegated" ? yield* wait(parts, running) : undefined
      yield* parts.turn.refuseAll(running, next.calls, refused)
      return undefined
    }
  }
})

const withoutCall = (parts: Parts, running: ActiveTask) =>
  Effect.flatMap(parts.textAnswer.next(running), (next) => follow(parts, running, next))

const afterCalls = (
  parts: Parts,
  running: ActiveTask,
  message: Message.Message,
  states: Call.States,
  started: ReadonlyMap<string, Call.Guarded>
) => Effect.flatMap(parts.turn.carryOut(running, message, states, started), (next) => follow(parts, running, next))

const request = Effect.fnUntraced(function* (
  parts: Parts,
  running: ActiveTask
): Effect.fn.Return<End | undefined, Failure> {
  const made = yield* parts.nextAnswer.make(running)
  switch (made?._tag) {
    case undefined:
      return undefined
    case "Guided":
      return yield* follow(parts, running, made.next)
    case "Pause":
      return { ...made, _tag: "Paused" }
    case "Paused":
    case "Limited":
      return made
    case "Answered": {
      const { message, started, states } = made
      if (Message.toolUses(message).length > 0) return yield* afterCalls(parts, running, message, states, started)
      return lastMessage(running)?.role === "user" ? undefined : yield* withoutCall(parts, running)
    }
  }
})

/** Calls that a cut has settled without a result, and that are shown again: the model is told so, and goes on. */
const answerSettled = Effect.fnUntraced(function* (
  { journal }: Parts,
  running: ActiveTask,
  last: Message.LoggedMessage
) {
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
const step = Effect.fnUntraced(function* (
  parts: Parts,
  running: ActiveTask
): Effect.fn.Return<End | undefined, Failure> {
  if (running.record.status === "delegated") return yield* wait(parts, running)
  const last = lastMessage(running)
  if (last === undefined || last.role === "user") return yield* request(parts, running)
  if (Message.toolUses(last).length === 0) return yield* withoutCall(parts, running)
  const states = Call.statesOf(yield* parts.history.calls(running.id), last.index)
  if (Call.areSettled(last, states)) return yield* answerSettled(parts, running, last)
  return yield* afterCalls(parts, running, last, states, new Map())
})

const steps = Effect.fnUntraced(function* (parts: Parts, running: ActiveTask) {
  if (running.record.attempt > 1) {
    yield* parts.counters.restore(running)
    yield* parts.checkpointing.recall(running)
  }
  yield* parts.background.launch(running)
  for (;;) {
    const end = yield* step(parts, running)
    if (end !== undefined) return end
  }
})

const followed = (parts: Parts, running: ActiveTask) =>
  Effect.andThen(Effect.forkScoped(parts.checklists.follow(running)), steps(parts, running)).pipe(
    Effect.scoped,
    // What cannot be stored goes on counting as reserved.
    Effect.ensuring(Effect.ignore(parts.budget.release(running)))
  )

const run =
  (parts: Parts): Loop["Service"]["run"] =>
  (running) => {
    if (running.settings.maxDurationMinutes === null) return followed(parts, running)
    const late = Effect.map(parts.budget.timeUp(running), (by): End => ({ _tag: "Limited", ...by }))
    return Effect.raceFirst(followed(parts, running), late)
  }
