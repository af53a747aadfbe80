/**
 * The runner of one task: takes its lease, runs its loop, and stores how it ended, whatever ends it.
 *
 * A stop aborts the model's answer and running commands, stores what is there in one commit with the interruption, and
 * then stops everything below. What its tools have running for it ends with it, however it ends. A runner that has lost
 * its task aborts both, too, and writes nothing more; when the history can take nothing more all of them end with the same
 * failure.
 */
import { type Step, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { Command, TaskRecord } from "@belay/task-state"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scheduler from "effect/Scheduler"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as FileContext from "../active/FileContext.ts"
import * as GivingUp from "./GivingUp.ts"
import { Journal } from "../active/Journal.ts"
import * as CutOffCalls from "../calls/CutOffCalls.ts"
import { type End, Loop } from "./Loop.ts"
import { RunnerPort } from "../active/RunnerPort.ts"
import { partialMessage } from "../model/AnswerStream.ts"
import * as Resume from "../lifecycle/Resume.ts"
import {
  type RunResult,
  type Failure,
  fence,
  isHeld,
  isLost,
  type ActiveTask,
  type Stop,
  type StoreFailure
} from "../active/ActiveTask.ts"
import { TaskScheduler } from "../active/Scheduler.ts"
import { Settings } from "@belay/settings"
import type { StoppedShort } from "../active/StoppedShort.ts"
import * as InterruptSignal from "../interrupt/InterruptSignal.ts"
import * as InterruptHere from "../interrupt/InterruptHere.ts"
import * as EventLoop from "./EventLoop.ts"
import * as UnsavedText from "../active/UnsavedText.ts"
import * as Transitions from "../active/Transitions.ts"

export class Runner extends Context.Service<
  Runner,
  {
    /** Runs to its end; the record it ended with, and the failure that ended it. Never fails by itself. */
    readonly run: (running: ActiveTask) => Effect.Effect<RunResult>
  }
>()("@belay/task-engine/Runner") {
  static readonly layer = Layer.effect(
    Runner,
    Effect.gen(function* () {
      const port = yield* RunnerPort
      const parts: Parts = {
        loop: yield* Loop,
        journal: yield* Journal,
        history: yield* TaskHistory,
        stopping: yield* InterruptHere.InterruptHere,
        stops: yield* InterruptSignal.InterruptSignal,
        scheduler: yield* TaskScheduler,
        giving: yield* GivingUp.GivingUp,
        left: yield* CutOffCalls.CutOffCalls
      }
      const turns = EventLoop.make()
      const begun = run(parts)
      // Whoever starts many has started all of them before one goes on, and each begins in a turn of its own.
      const runner = Runner.of({
        run: (running) =>
          Effect.provideService(Effect.andThen(Effect.yieldNow, begun(running)), Scheduler.Scheduler, turns)
      })
      yield* port.serve(runner.run)
      return runner
    })
  )
}

type Verdict =
  | { readonly _tag: "Stop"; readonly stop: Stop }
  | { readonly _tag: "Exit"; readonly exit: Exit.Exit<End, Failure> }
  | { readonly _tag: "Lost" }

interface Parts {
  readonly loop: Loop["Service"]
  readonly journal: Journal["Service"]
  readonly history: TaskHistory["Service"]
  readonly stopping: InterruptHere.InterruptHere["Service"]
  readonly stops: InterruptSignal.InterruptSignal["Service"]
  readonly scheduler: TaskScheduler["Service"]
  readonly giving: GivingUp.GivingUp["Service"]
  readonly left: CutOffCalls.CutOffCalls["Service"]
}

/** Another process has the task, or has changed it: this runner writes nothing more. */
const isRefused = (failure: Failure | undefined): failure is Command.TransitionRejected =>
  failure?._tag === "TransitionRejected"

/** That its model answers no more is what a subtask has to report: the task above goes on from it. */
const isResult = ({ record }: ActiveTask, failure: Failure): failure is StoppedShort =>
  failure._tag === "StoppedShort" &&
  record.lineage.parentId !== undefined &&
  record.status === "active" &&
  TaskRecord.awaitedIds(record).length === 0

const reasonOf = (failure: Failure): TaskRecord.InterruptReason => {
  if (failure._tag === "StoppedShort" && failure.reason !== "refusal") return "context"
  return failure._tag === "UnloggedCall" ? "crash" : "service"
}

/** A subtask follows what its parent was told since: its approvals, its sandbox and the limits of the tree. */
const inherit = ({ journal }: Parts, running: ActiveTask, attempt: number): ReadonlyArray<Step.Step> => {
  const { parentId } = running.record.lineage
  const parent = parentId === undefined ? undefined : journal.running.get(parentId)
  if (parent === undefined) return []
  const settings = Settings.inherited(running.settings, parent.settings)
  if (JSON.stringify(settings) === JSON.stringify(running.settings)) return []
  Transitions.configured(running, settings)
  const model = Settings.modelFor(settings, running.mode)
  return [{ _tag: "Configure", taskId: running.id, attempt, settings, model }]
}

/** The steps that take the task, as it is now. */
const taking = Effect.fnUntraced(function* (parts: Parts, running: ActiveTask) {
  const taskId = running.id
  const attempt = running.record.attempt + 1
  if (running.record.status === "created") {
    const started: Step.Step = { _tag: "Lifecycle", request: { _tag: "Start", taskId } }
    return [started, ...inherit(parts, running, attempt), { _tag: "Deliver", taskId, attempt } satisfies Step.Step]
  }
  const asks = yield* parts.history.asks(taskId)
  const open = asks.filter((ask) => ask.open)
  const resumed: Step.Step = { _tag: "Lifecycle", request: { _tag: "Resume", taskId } }
  return [
    resumed,
    ...Resume.settledByResume(taskId, asks),
    ...inherit(parts, running, attempt),
    ...Resume.delivering({ taskId, attempt }, open)
  ]
})

/** Takes the task, when this process has not yet: from then on its attempt is fixed. */
const take = Effect.fnUntraced(function* (parts: Parts, running: ActiveTask) {
  if (running.attempt !== undefined) return
  const points = running.record.status === "created" ? undefined : ({ commit: "resume.commit" } as const)
  const { records } = yield* parts.journal.commit(yield* taking(parts, running), points)
  Transitions.taken(running, records.get(running.id)?.attempt ?? running.record.attempt)
}, Effect.uninterruptible)

/** What holds now, and not when it was told to run: it may have waited for its turn, and others did not. */
const lookAgain = Effect.fnUntraced(function* ({ history }: Parts, running: ActiveTask) {
  const row = Option.getOrUndefined(yield* history.row(running.id))
  const refuse = (rule: "Deleted" | "LeaseLost" | "NeedsResume" | "NotFound") =>
    Command.rejected(running.id, "Run", row?.record.status ?? "absent", rule)
  if (row === undefined) return yield* refuse("NotFound")
  if (TaskRecord.isTombstone(row.record)) return yield* refuse("Deleted")
  if (running.attempt !== undefined && !isHeld(running, history.me, row)) return yield* refuse("LeaseLost")
  // Who was to begin and was stopped meanwhile stays stopped.
  const stopped = row.record.status === "interrupted" && running.record.status === "created"
  if (stopped) return yield* refuse("NeedsResume")
  const settings = yield* Effect.orDie(Settings.decode(row.meta.settings))
  Transitions.lookedAt(running, row, settings, history.me)
  return undefined
})

const begin = Effect.fnUntraced(function* (parts: Parts, running: ActiveTask) {
  yield* parts.scheduler.acquire(running, "beginning")
  // Its stop is on the way: a permit that a relative gave back for it is no beginning.
  if (parts.stops.isGiven(running)) return yield* Effect.never
  yield* lookAgain(parts, running)
  yield* take(parts, running)
  const resumed = running.record.status !== "created" && running.record.attempt > 1
  if (resumed) yield* parts.journal.reached("resume.run.before")
  const { messages } = yield* parts.history.shown(running.id)
  const calls = yield* parts.history.calls(running.id)
  Transitions.begun(
    running,
    messages,
    calls.map(({ callId }) => callId),
    resumed
  )
  FileContext.recall(running, yield* parts.history.files(running.id))
  if (resumed) yield* parts.journal.reached("resume.run.after")
})

const failed = Effect.fnUntraced(function* ({ journal, stopping }: Parts, running: ActiveTask, failure: Failure) {
  if (isRefused(failure)) return
  if (failure._tag === "HistoryError") {
    const half = partialMessage(running)
    if (half !== undefined) yield* UnsavedText.tell(running.id, Message.textOf(half))
    return
  }
  const step: Step.Step = { _tag: "Failed", ...fence(running), tag: failure._tag, message: failure.message }
  if (isResult(running, failure)) {
    const { message: result } = failure
    const ended = { _tag: "Complete", ...fence(running), outcome: "failed", result } as const
    yield* journal.commit([step, { _tag: "Lifecycle", request: ended }], { commit: "complete.commit" })
    return
  }
  const known = running.record.status === "active" || running.record.status === "delegated"
  const reason = reasonOf(failure)
  if (known) yield* stopping.interrupt(running, { reason }, [step])
})

const race = Effect.fnUntraced(function* (parts: Parts, running: ActiveTask) {
  // Its subtasks may have stopped for the stop that is on its way to it.
  const ended = Effect.flatMap(parts.loop.run(running), (end) => parts.stops.until(running, Effect.succeed(end)))
  const fiber = yield* Effect.forkChild(Effect.andThen(begin(parts, running), ended), { startImmediately: true })
  const stopped = Effect.map(Deferred.await(running.interrupt.stop), (stop): Verdict => ({ _tag: "Stop", stop }))
  const exited = Effect.map(Fiber.await(fiber), (exit): Verdict => ({ _tag: "Exit", exit }))
  const gone = Effect.map(Effect.exit(parts.journal.lost), (exit): Verdict => ({ _tag: "Exit", exit }))
  const lost = Effect.as(Deferred.await(running.interrupt.lost), { _tag: "Lost" } satisfies Verdict)
  const verdict = yield* Effect.raceAllFirst([lost, gone, stopped, exited])
  if (verdict._tag !== "Stop") {
    yield* Fiber.interrupt(fiber)
    return verdict
  }
  yield* parts.journal.reached("interrupt.abort.before")
  yield* Fiber.interrupt(fiber)
  yield* parts.journal.reached("interrupt.abort.after")
  return verdict
})

const conclude = Effect.fnUntraced(function* (
  parts: Parts,
  running: ActiveTask,
  verdict: Verdict
): Effect.fn.Return<Failure | undefined, StoreFailure> {
  if (verdict._tag === "Lost" || isLost(running)) return undefined
  if (verdict._tag === "Stop") {
    if (running.record.status !== "completed") yield* parts.stopping.interrupt(running, verdict.stop)
    return undefined
  }
  const { exit } = verdict
  if (Exit.isSuccess(exit)) {
    if (exit.value._tag === "Paused") yield* parts.stopping.interrupt(running, exit.value)
    if (exit.value._tag === "Limited") yield* parts.stopping.limit(running, exit.value)
    return undefined
  }
  const failure = Cause.findErrorOption(exit.cause)
  if (Option.isSome(failure)) {
    yield* failed(parts, running, failure.value)
    return running.record.status === "completed" ? undefined : failure.value
  }
  // A defect of ours: the task is not left leased, and whoever runs it sees the defect.
  const defect = Cause.squash(exit.cause)
  const message = defect instanceof Error ? defect.message : "an unexpected error"
  const step: Step.Step = { _tag: "Failed", ...fence(running), tag: "Defect", message }
  yield* parts.stopping.interrupt(running, { reason: "crash" }, [step])
  return yield* Effect.die(defect)
})

const run =
  (parts: Parts): Runner["Service"]["run"] =>
  (running) =>
    Effect.gen(function* () {
      const verdict = yield* race(parts, running)
      const failure = yield* Effect.catch(conclude(parts, running, verdict), (refused) => Effect.succeed(refused))
      const { record } = running
      if (isLost(running) || isRefused(failure)) {
        return yield* parts.giving.giveUp(running, isRefused(failure) ? failure : undefined)
      }
      return failure === undefined ? { record } : { record, failure }
    }).pipe(Effect.ensuring(parts.left.release(running.id)), Effect.ensuring(parts.scheduler.release(running)))
