/**
 * The runner of one task: takes its lease, runs its loop, and stores how it ended, whatever ends it.
 *
 * A stop aborts the model's answer and running commands, stores what is there in one commit with the interruption, and
 * then stops everything below. A runner that has lost its task to another process writes nothing more, and when the
 * history can take nothing more all of them end with the same failure.
 */
import { type Inbox, type Step, TaskHistory } from "@belay/history-store"
import { Command, type TaskId, TaskRecord } from "@belay/task-state"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as FileContext from "./FileContext.ts"
import { Journal } from "./Journal.ts"
import type { End } from "./Loop.ts"
import type { TaskRegistry } from "./Registry.ts"
import * as Resume from "./Resume.ts"
import {
  type Ended,
  type Failure,
  fence,
  make as makeRunning,
  type Running,
  type Stop,
  type StoreFailure
} from "./Running.ts"
import { TaskScheduler } from "./Scheduler.ts"
import * as Settings from "./Settings.ts"
import * as StopSignal from "./StopSignal.ts"
import * as Stopping from "./Stopping.ts"

/** Opens a task for running; fails when it does not exist. */
export const open = (
  history: TaskHistory["Service"],
  id: TaskId.TaskId,
  stop: Deferred.Deferred<Stop>
): Effect.Effect<Running, StoreFailure> =>
  Effect.gen(function* () {
    const row = yield* history.row(id)
    if (Option.isNone(row)) return yield* Command.rejected(id, "Run", "absent", "NotFound")
    const { status } = row.value.record
    if (TaskRecord.isTombstone(row.value.record)) return yield* Command.rejected(id, "Run", status, "Deleted")
    const settings = yield* Effect.orDie(Settings.decode(row.value.meta.settings))
    return makeRunning(row.value, settings, history.me, stop)
  })

export interface Runner {
  /** Runs to its end; the record it ended with, and the failure that ended it. Never fails by itself. */
  readonly run: (running: Running) => Effect.Effect<Ended>
}

/** Another process has the task, or has changed it: this runner writes nothing more. */
const lostTask = (failure: Failure): boolean => failure._tag === "TransitionRejected"

export const make = (
  loop: (running: Running) => Effect.Effect<End, Failure>
): Effect.Effect<Runner, never, Journal | TaskHistory | Inbox | TaskRegistry | TaskScheduler> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const history = yield* TaskHistory
    const stopping = yield* Stopping.make
    const stops = yield* StopSignal.make
    const scheduler = yield* TaskScheduler

    /** A subtask follows what its parent was told since: its approvals, its sandbox and the limits of the tree. */
    const inherit = (running: Running, attempt: number): ReadonlyArray<Step.Step> => {
      const { parentId } = running.record.lineage
      const parent = parentId === undefined ? undefined : journal.running.get(parentId)
      if (parent === undefined) return []
      const settings = Settings.inherited(running.settings, parent.settings)
      if (JSON.stringify(settings) === JSON.stringify(running.settings)) return []
      running.settings = settings
      const model = Settings.modelFor(settings, running.mode)
      return [{ _tag: "Configure", taskId: running.id, attempt, settings, model }]
    }

    /** Takes the task, when this process has not yet. */
    const take = (running: Running) =>
      Effect.gen(function* () {
        const taskId = running.id
        const { attempt, status } = running.record
        if (status === "created") {
          yield* journal.commit([
            { _tag: "Lifecycle", request: { _tag: "Start", taskId } },
            ...inherit(running, 1),
            { _tag: "Deliver", taskId, attempt: 1 }
          ])
          return
        }
        if (running.leased) return
        const asks = yield* history.asks(taskId)
        yield* journal.commit(
          [
            { _tag: "Lifecycle", request: { _tag: "Resume", taskId } },
            ...Resume.settledByResume(taskId, asks),
            ...inherit(running, attempt + 1),
            ...Resume.delivering(
              { taskId, attempt: attempt + 1 },
              asks.filter((ask) => ask.open)
            )
          ],
          { commit: "resume.commit" }
        )
      })

    const begin = (running: Running) =>
      Effect.gen(function* () {
        yield* scheduler.acquire(running, "beginning")
        // Its stop is on the way: a permit that a relative gave back for it is no beginning.
        if (stops.isGiven(running)) return yield* Effect.never
        yield* take(running)
        running.leased = true
        const resumed = running.record.status !== "created" && running.record.attempt > 1
        if (resumed) yield* journal.reached("resume.run.before")
        // What was said while nobody ran it may wait for the end of an answer.
        running.unread ||= resumed
        // It may have been switched while it waited for its turn.
        const row = yield* history.row(running.id)
        if (Option.isSome(row)) {
          running.mode = row.value.meta.mode
          running.contextTokens = row.value.contextTokens
        }
        const { messages } = yield* history.shown(running.id)
        running.condensed = false
        running.messages.splice(0, running.messages.length, ...messages)
        FileContext.recall(running, yield* history.files(running.id))
        if (resumed) yield* journal.reached("resume.run.after")
      })

    const failed = (running: Running, failure: Failure) =>
      Effect.gen(function* () {
        if (lostTask(failure) || failure._tag === "HistoryError") return
        const step: Step.Step = { _tag: "Failed", ...fence(running), tag: failure._tag, message: failure.message }
        const known = running.record.status === "active" || running.record.status === "delegated"
        if (known) yield* stopping.interrupt(running, { reason: "service" }, [step])
      })

    type Verdict =
      | { readonly _tag: "Stop"; readonly stop: Stop }
      | { readonly _tag: "Exit"; readonly exit: Exit.Exit<End, Failure> }

    const race = (running: Running) =>
      Effect.gen(function* () {
        // Its subtasks may have stopped for the stop that is on its way to it.
        const ended = Effect.flatMap(loop(running), (end) => stops.until(running, Effect.succeed(end)))
        const fiber = yield* Effect.forkChild(Effect.andThen(begin(running), ended), { startImmediately: true })
        const stopped = Effect.map(Deferred.await(running.stop), (stop): Verdict => ({ _tag: "Stop", stop }))
        const exited = Effect.map(Fiber.await(fiber), (exit): Verdict => ({ _tag: "Exit", exit }))
        const lost = Effect.map(Effect.exit(journal.lost), (exit): Verdict => ({ _tag: "Exit", exit }))
        const verdict = yield* Effect.raceAllFirst([lost, stopped, exited])
        if (verdict._tag === "Exit") {
          yield* Fiber.interrupt(fiber)
          return verdict
        }
        yield* journal.reached("interrupt.abort.before")
        yield* Fiber.interrupt(fiber)
        yield* journal.reached("interrupt.abort.after")
        return verdict
      })

    const conclude = (running: Running, verdict: Verdict): Effect.Effect<Failure | undefined, StoreFailure> =>
      Effect.gen(function* () {
        if (verdict._tag === "Stop") {
          if (running.record.status !== "completed") yield* stopping.interrupt(running, verdict.stop)
          return undefined
        }
        const { exit } = verdict
        if (Exit.isSuccess(exit)) {
          if (exit.value._tag === "Paused") yield* stopping.interrupt(running, exit.value)
          if (exit.value._tag === "Limited") yield* stopping.limit(running, exit.value)
          return undefined
        }
        const failure = Cause.findErrorOption(exit.cause)
        if (Option.isSome(failure)) {
          yield* failed(running, failure.value)
          return failure.value
        }
        // A defect of ours: the task is not left leased, and whoever runs it sees the defect.
        const defect = Cause.squash(exit.cause)
        const message = defect instanceof Error ? defect.message : "an unexpected error"
        const step: Step.Step = { _tag: "Failed", ...fence(running), tag: "Defect", message }
        yield* stopping.interrupt(running, { reason: "crash" }, [step])
        return yield* Effect.die(defect)
      })

    const run = (running: Running): Effect.Effect<Ended> =>
      Effect.gen(function* () {
        const verdict = yield* race(running)
        return yield* conclude(running, verdict)
      }).pipe(
        Effect.catch((failure) => Effect.succeed<Failure | undefined>(failure)),
        Effect.map((failure): Ended =>
          failure === undefined ? { record: running.record } : { record: running.record, failure }
        ),
        Effect.ensuring(scheduler.release(running))
      )

    return { run }
  })
