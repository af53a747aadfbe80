/**
 * The live runners of this process, by task: each task has at most one, and its end is told to everybody who waits for it.
 * What a task is in the history is decided there and nowhere else.
 *
 * Runners outlive whoever launched them: only a stop ends one, so that its end is always stored. An engine that ends with
 * tasks running stops them, so that none is left leased.
 */
import { TaskHistory } from "@belay/history-store"
import type { TaskId, TaskRecord } from "@belay/task-state"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type ActiveTask, type RunResult, isLost, open, type Stop, type StoreFailure } from "./ActiveTask.ts"
import * as Transitions from "./Transitions.ts"
import { Journal } from "./Journal.ts"
import { RunnerPort } from "./RunnerPort.ts"

export class TaskRegistry extends Context.Service<
  TaskRegistry,
  {
    /** The task runs here, or waits for a permit. */
    readonly has: (id: TaskId.TaskId) => boolean
    /** The same as this record says: with this attempt, or not taken yet. */
    readonly runs: (record: TaskRecord.TaskRecord) => boolean
    readonly ids: () => ReadonlySet<TaskId.TaskId>
    /** Those whose runners here have ended because their subtasks have all stopped. */
    readonly waiting: () => ReadonlySet<TaskId.TaskId>
    /** It does not wait here any more. */
    readonly forget: (id: TaskId.TaskId) => void
    /** Those that run here, and those that wait here. */
    readonly kept: () => ReadonlySet<TaskId.TaskId>
    /** How many runners have ended here, for whoever looks for changes. */
    readonly endings: () => number
    /**
     * Starts the runner of a task in this process, once: one of the same attempt is joined. One of another attempt is
     * ended first, without writing, and the new one starts when it has ended. Gives the end.
     */
    readonly launch: (id: TaskId.TaskId) => Effect.Effect<Effect.Effect<RunResult, StoreFailure>>
    /** Ends when its runner here has ended, however it did; at once when it does not run here. */
    readonly ended: (id: TaskId.TaskId) => Effect.Effect<void>
    /** Tells a runner to stop; the first reason counts. Nothing when it does not run here. */
    readonly signal: (id: TaskId.TaskId, stop: Stop) => Effect.Effect<void>
    /** Stops a runner and everything below it, and waits until that is stored; nothing when it does not run here. */
    readonly stop: (id: TaskId.TaskId, stop: Stop) => Effect.Effect<void>
  }
>()("@belay/task-engine/TaskRegistry") {
  static readonly layer = Layer.effect(
    TaskRegistry,
    Effect.gen(function* () {
      const journal = yield* Journal
      const history = yield* TaskHistory
      const runner = yield* RunnerPort
      const entries = new Map<TaskId.TaskId, Entry>()
      const waiting = new Set<TaskId.TaskId>()
      let endings = 0

      const leave = (id: TaskId.TaskId, exit: Exit.Exit<RunResult, StoreFailure>): void => {
        journal.detach(id)
        entries.delete(id)
        endings += 1
        if (Exit.isSuccess(exit) && exit.value.record.status === "delegated") waiting.add(id)
        else waiting.delete(id)
      }

      /** Nothing comes between the look at what has come meanwhile and the end of the entry. */
      const toEnd = (
        id: TaskId.TaskId,
        entry: Entry,
        opened: Effect.Effect<ActiveTask, StoreFailure>
      ): Effect.Effect<unknown> =>
        opened.pipe(
          Effect.flatMap(runner.run),
          Effect.exit,
          Effect.flatMap((exit) => {
            const running = journal.running.get(id)
            if (running !== undefined && goesOn(running, exit)) return toEnd(id, entry, Effect.succeed(running))
            leave(id, exit)
            return Deferred.done(entry.ended, exit)
          })
        )

      /** The runner that is here, when it has the task as it is now, or has yet to take it. */
      const joined = Effect.fnUntraced(function* (id: TaskId.TaskId, entry: Entry) {
        const row = Option.getOrUndefined(yield* history.row(id))
        const running = journal.running.get(id)
        if (entries.get(id) !== entry || running?.attempt === undefined) return true
        const taken = row?.lease?.alive === true && row.lease.ownerId !== history.me
        if (taken || row?.record.attempt !== running.attempt) Transitions.lose(running)
        return !isLost(running)
      })

      const launch: TaskRegistry["Service"]["launch"] = Effect.fn("TaskRegistry.launch")(function* (id) {
        for (let before = entries.get(id); before !== undefined; before = entries.get(id)) {
          const joins = yield* Effect.exit(joined(id, before))
          if (Exit.isFailure(joins)) return Effect.failCause(joins.cause)
          if (joins.value) return Deferred.await(before.ended)
          yield* Effect.exit(Deferred.await(before.ended))
        }
        const entry: Entry = { stop: Deferred.makeUnsafe(), ended: Deferred.makeUnsafe() }
        entries.set(id, entry)
        const opened = Effect.tap(open(history, id, entry.stop), (running) =>
          Effect.sync(() => journal.attach(running))
        )
        yield* Effect.forkDetach(toEnd(id, entry, opened), { startImmediately: true })
        return Deferred.await(entry.ended)
      })

      const signal: TaskRegistry["Service"]["signal"] = (id, why) =>
        Effect.suspend(() => {
          const entry = entries.get(id)
          return entry === undefined ? Effect.void : Effect.asVoid(Deferred.succeed(entry.stop, why))
        })

      const ended: TaskRegistry["Service"]["ended"] = (id) =>
        Effect.suspend(() => {
          const entry = entries.get(id)
          return entry === undefined ? Effect.void : Effect.asVoid(Effect.exit(Deferred.await(entry.ended)))
        })

      const stop: TaskRegistry["Service"]["stop"] = (id, why) => Effect.andThen(signal(id, why), ended(id))

      yield* Effect.addFinalizer((exit) =>
        Effect.forEach([...entries.keys()], (id) => stop(id, { reason: Exit.isSuccess(exit) ? "host" : "crash" }), {
          concurrency: "unbounded",
          discard: true
        })
      )

      return TaskRegistry.of({
        has: (id) => entries.has(id),
        runs: ({ attempt, id }) => entries.has(id) && attempt === (journal.running.get(id)?.attempt ?? attempt),
        ids: () => new Set(entries.keys()),
        waiting: () => waiting,
        forget: (id) => void waiting.delete(id),
        kept: () => new Set([...entries.keys(), ...waiting]),
        endings: () => endings,
        launch,
        ended,
        signal,
        stop
      })
    })
  )
}

interface Entry {
  readonly stop: Deferred.Deferred<Stop>
  readonly ended: Deferred.Deferred<RunResult, StoreFailure>
}

/** While it was ending as one that waits, its wait came to an end, or it was told to stop. */
const goesOn = ({ interrupt, record }: ActiveTask, exit: Exit.Exit<RunResult, StoreFailure>): boolean =>
  Exit.isSuccess(exit) &&
  exit.value.failure === undefined &&
  (record.status === "active" || (record.status === "delegated" && Deferred.isDoneUnsafe(interrupt.stop)))
