/**
 * The runner of one task: takes its lease, runs its loop, and stores how it ended, whatever ends it.
 *
 * A stop aborts the model's answer and running commands, stores what is there in one commit with the interruption, and
 * then stops everything below. A runner that has lost its task to another process writes nothing more.
 */
import { type HistoryError, type Step, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { Command, Failpoint, TaskId, TaskRecord } from "@belay/task-state"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { Journal } from "./Journal.ts"
import type { End } from "./Loop.ts"
import { partialMessage } from "./ModelTurn.ts"
import * as Prompt from "./Prompt.ts"
import { type Begin, TaskRegistry } from "./Registry.ts"
import { type Ended, type Failure, fence, make as makeRunning, type Running, type Stop } from "./Running.ts"
import { TaskScheduler } from "./Scheduler.ts"
import * as Settings from "./Settings.ts"

type Fails = Command.TransitionRejected | HistoryError.HistoryError

/** Opens a task for running; fails when it does not exist or its settings cannot be read. */
export const open = (history: TaskHistory["Service"], id: TaskId.TaskId): Effect.Effect<Running, Fails> =>
  Effect.gen(function* () {
    const row = yield* history.row(id)
    if (Option.isNone(row)) return yield* Command.rejected(id, "Run", "absent", "NotFound")
    const settings = yield* Effect.orDie(Settings.decode(row.value.meta.settings))
    return yield* makeRunning(row.value, settings, history.me)
  })

export interface Runner {
  /** Runs to its end; the record it ended with, and the failure that ended it. Never fails by itself. */
  readonly run: (running: Running, begin: Begin) => Effect.Effect<Ended>
}

/** Another process has the task, or has changed it: this runner writes nothing more. */
const lostTask = (failure: Failure): boolean => failure._tag === "TransitionRejected"

export const make = (
  loop: (running: Running) => Effect.Effect<End, Failure>
): Effect.Effect<Runner, never, Journal | TaskHistory | TaskRegistry | TaskScheduler> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const history = yield* TaskHistory
    const registry = yield* TaskRegistry
    const scheduler = yield* TaskScheduler
    const failpoints = yield* Failpoint.Failpoints
    const hit = (name: Failpoint.Failpoint) => Effect.sync(() => failpoints.hit(name))

    const begin = (running: Running, how: Begin) =>
      Effect.gen(function* () {
        yield* scheduler.acquire(running)
        const taskId = running.id
        if (running.record.status === "created") {
          yield* journal.commit([{ _tag: "Lifecycle", request: { _tag: "Start", taskId } }])
        } else if (how === "resume" && !running.leased) {
          yield* hit("resume.commit.before")
          yield* journal.commit([{ _tag: "Lifecycle", request: { _tag: "Resume", taskId } }])
          yield* hit("resume.commit.after")
        }
        yield* Effect.map(history.messages(taskId), (messages) => {
          running.messages.splice(0, running.messages.length, ...messages)
        })
        yield* hit("resume.run.before")
        yield* hit("resume.run.after")
      })

    const stopDescendants = (running: Running) =>
      Effect.gen(function* () {
        yield* hit("interrupt.descendants.before")
        yield* Effect.forEach(TaskRecord.awaitedIds(running.record), (id) => registry.stop(id, { reason: "parent" }), {
          concurrency: "unbounded",
          discard: true
        })
        yield* hit("interrupt.descendants.after")
      })

    /** What was arriving or running when it stopped, as it is known. */
    const leftovers = (running: Running): ReadonlyArray<Step.Step> => {
      const results = [...running.startedCalls].map((callId) => ({
        callId,
        content: [Message.text(Prompt.unknownOutcome)],
        isError: true,
        state: "unknown" as const
      }))
      const partial = partialMessage(running)
      return [
        ...(partial === undefined ? [] : [{ _tag: "Append" as const, ...fence(running), message: partial }]),
        ...(results.length === 0 ? [] : [{ _tag: "CallsSettled" as const, ...fence(running), results }])
      ]
    }

    const interruption = (running: Running, stop: Stop, steps: ReadonlyArray<Step.Step>) =>
      Effect.gen(function* () {
        const leased = running.record.status === "active" || running.record.status === "delegated"
        yield* hit("interrupt.commit.before")
        yield* journal.commit([
          ...(leased ? [...leftovers(running), ...steps] : []),
          {
            _tag: "Lifecycle",
            request: {
              _tag: "Interrupt",
              taskId: running.id,
              reason: stop.reason,
              ...(leased ? { attempt: running.record.attempt } : {})
            }
          },
          ...(stop.requestId === undefined
            ? []
            : [{ _tag: "RequestApplied" as const, requestId: stop.requestId }])
        ])
        yield* hit("interrupt.commit.after")
        yield* scheduler.release(running)
        yield* stopDescendants(running)
      })

    /** The ask that a pause leaves open, for the root's user to find. */
    const pauseAsk = (running: Running, end: Extract<End, { _tag: "Paused" }>) =>
      Effect.gen(function* () {
        const { detail, reason } = end
        if (reason !== "budget" && reason !== "mistakes" && reason !== "context") return []
        const ask = { askId: yield* TaskId.make, kind: reason, question: detail ?? "", grants: [] }
        return [{ _tag: "AskOpened", ...fence(running), ask }] satisfies ReadonlyArray<Step.Step>
      })

    const paused = (running: Running, end: Extract<End, { _tag: "Paused" }>) =>
      Effect.gen(function* () {
        yield* interruption(running, { reason: end.reason }, yield* pauseAsk(running, end))
        // A limit of the tree stops the whole tree: nothing keeps billing.
        const { rootId } = running.record.lineage
        if (end.reason === "budget" && rootId !== running.id) {
          yield* Effect.forkDetach(registry.stop(rootId, { reason: "budget" }))
        }
      })

    const failed = (running: Running, failure: Failure) =>
      Effect.gen(function* () {
        if (lostTask(failure) || failure._tag === "HistoryError") return
        const step: Step.Step = { _tag: "Failed", ...fence(running), tag: failure._tag, message: failure.message }
        const known = running.record.status === "active" || running.record.status === "delegated"
        if (known) yield* interruption(running, { reason: "service" }, [step])
      })

    type Verdict =
      | { readonly _tag: "Stop"; readonly stop: Stop }
      | { readonly _tag: "Exit"; readonly exit: Exit.Exit<End, Failure> }

    const race = (running: Running, how: Begin) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(Effect.andThen(begin(running, how), loop(running)), {
          startImmediately: true
        })
        const stopped = Effect.map(Deferred.await(running.stop), (stop): Verdict => ({ _tag: "Stop", stop }))
        const exited = Effect.map(Fiber.await(fiber), (exit): Verdict => ({ _tag: "Exit", exit }))
        const verdict = yield* Effect.raceFirst(stopped, exited)
        if (verdict._tag === "Exit") return verdict
        yield* hit("interrupt.abort.before")
        yield* Fiber.interrupt(fiber)
        yield* hit("interrupt.abort.after")
        return verdict
      })

    const conclude = (running: Running, verdict: Verdict): Effect.Effect<Failure | undefined, Fails> =>
      Effect.gen(function* () {
        if (verdict._tag === "Stop") {
          if (running.record.status !== "completed") yield* interruption(running, verdict.stop, [])
          return undefined
        }
        const { exit } = verdict
        if (Exit.isSuccess(exit)) {
          if (exit.value._tag === "Paused") yield* paused(running, exit.value)
          return undefined
        }
        const failure = Cause.findErrorOption(exit.cause)
        if (Option.isSome(failure)) {
          yield* failed(running, failure.value)
          return failure.value
        }
        // A defect of ours: the task is not left leased, and whoever waits for it sees the defect.
        yield* interruption(running, { reason: "crash" }, [])
        return yield* Effect.die(Cause.squash(exit.cause))
      })

    const run = (running: Running, how: Begin): Effect.Effect<Ended> =>
      Effect.gen(function* () {
        const verdict = yield* race(running, how)
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
