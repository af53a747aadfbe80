/** The registry over one runner: each task at most once, its end told to everybody who waits for it. */
import { TaskHistory } from "@belay/history-store"
import type { TaskId } from "@belay/task-state"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { Journal } from "../active/Journal.ts"
import { TaskRegistry } from "../active/Registry.ts"
import { type Ended, isLost, lose, type ActiveTask, type Stop, type StoreFailure } from "../active/ActiveTask.ts"
import * as Runner from "./Runner.ts"

interface Entry {
  readonly stop: Deferred.Deferred<Stop>
  readonly ended: Deferred.Deferred<Ended, StoreFailure>
}

/** While it was ending as one that waits, its wait came to an end, or it was told to stop. */
const goesOn = ({ record, stop }: ActiveTask, exit: Exit.Exit<Ended, StoreFailure>): boolean =>
  Exit.isSuccess(exit) &&
  exit.value.failure === undefined &&
  (record.status === "active" || (record.status === "delegated" && Deferred.isDoneUnsafe(stop)))

/** `runner` is read when a task is run, because runners need the registry themselves; `ended` hears how each ends. */
export const make = (
  runner: () => Runner.Runner,
  ended: (id: TaskId.TaskId, exit: Exit.Exit<Ended, StoreFailure>) => void
): Effect.Effect<TaskRegistry["Service"], never, Journal | TaskHistory | Scope.Scope> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const history = yield* TaskHistory
    const entries = new Map<TaskId.TaskId, Entry>()

    const leave = (id: TaskId.TaskId, exit: Exit.Exit<Ended, StoreFailure>): void => {
      journal.detach(id)
      entries.delete(id)
      ended(id, exit)
    }

    /** Nothing comes between the look at what has come meanwhile and the end of the entry. */
    const toEnd = (
      id: TaskId.TaskId,
      entry: Entry,
      opened: Effect.Effect<ActiveTask, StoreFailure>
    ): Effect.Effect<unknown> =>
      opened.pipe(
        Effect.flatMap((running) => runner().run(running)),
        Effect.exit,
        Effect.flatMap((exit) => {
          const running = journal.running.get(id)
          if (running !== undefined && goesOn(running, exit)) return toEnd(id, entry, Effect.succeed(running))
          leave(id, exit)
          return Deferred.done(entry.ended, exit)
        })
      )

    /** The runner that is here, when it has the task as it is now, or has yet to take it. */
    const joined = (id: TaskId.TaskId, entry: Entry) =>
      Effect.gen(function* () {
        const row = Option.getOrUndefined(yield* history.row(id))
        const running = journal.running.get(id)
        if (entries.get(id) !== entry || running?.attempt === undefined) return true
        const taken = row?.lease?.alive === true && row.lease.ownerId !== history.me
        if (taken || row?.record.attempt !== running.attempt) lose(running)
        return !isLost(running)
      })

    // Runners outlive whoever launched them: only a stop ends one, so that its end is always stored.
    const launch: TaskRegistry["Service"]["launch"] = (id) =>
      Effect.gen(function* () {
        for (let before = entries.get(id); before !== undefined; before = entries.get(id)) {
          const joins = yield* Effect.exit(joined(id, before))
          if (Exit.isFailure(joins)) return Effect.failCause(joins.cause)
          if (joins.value) return Deferred.await(before.ended)
          yield* Effect.exit(Deferred.await(before.ended))
        }
        const entry: Entry = { stop: Deferred.makeUnsafe(), ended: Deferred.makeUnsafe() }
        entries.set(id, entry)
        const opened = Effect.tap(Runner.open(history, id, entry.stop), (running) =>
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

    const awaitEnd: TaskRegistry["Service"]["ended"] = (id) =>
      Effect.suspend(() => {
        const entry = entries.get(id)
        return entry === undefined ? Effect.void : Effect.asVoid(Effect.exit(Deferred.await(entry.ended)))
      })

    const stop: TaskRegistry["Service"]["stop"] = (id, why) => Effect.andThen(signal(id, why), awaitEnd(id))

    // A host that closes its scope with tasks running stops them, so that none is left leased.
    yield* Effect.addFinalizer((exit) =>
      Effect.forEach([...entries.keys()], (id) => stop(id, { reason: Exit.isSuccess(exit) ? "host" : "crash" }), {
        concurrency: "unbounded",
        discard: true
      })
    )

    return {
      has: (id) => entries.has(id),
      runs: ({ attempt, id }) => entries.has(id) && attempt === (journal.running.get(id)?.attempt ?? attempt),
      ids: () => new Set(entries.keys()),
      launch,
      ended: awaitEnd,
      signal,
      stop
    }
  })
