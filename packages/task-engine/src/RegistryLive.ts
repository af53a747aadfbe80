/** The registry over one runner: each task at most once, its end told to everybody who waits for it. */
import { TaskHistory } from "@belay/history-store"
import type { TaskId } from "@belay/task-state"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import { Journal } from "./Journal.ts"
import { TaskRegistry } from "./Registry.ts"
import type { Ended, Stop, StoreFailure } from "./Running.ts"
import * as Runner from "./Runner.ts"

interface Entry {
  readonly stop: Deferred.Deferred<Stop>
  readonly ended: Deferred.Deferred<Ended, StoreFailure>
}

/** `runner` is read when a task is run, because runners need the registry themselves. */
export const make = (
  runner: () => Runner.Runner
): Effect.Effect<TaskRegistry["Service"], never, Journal | TaskHistory | Scope.Scope> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const history = yield* TaskHistory
    const entries = new Map<TaskId.TaskId, Entry>()

    const leave = (id: TaskId.TaskId) =>
      Effect.sync(() => {
        journal.detach(id)
        entries.delete(id)
      })

    // Runners outlive whoever launched them: only a stop ends one, so that its end is always stored.
    const launch: TaskRegistry["Service"]["launch"] = (id) =>
      Effect.gen(function* () {
        const joined = entries.get(id)
        if (joined !== undefined) return Deferred.await(joined.ended)
        const entry: Entry = {
          stop: yield* Deferred.make<Stop>(),
          ended: yield* Deferred.make<Ended, StoreFailure>()
        }
        entries.set(id, entry)
        const whole = Runner.open(history, id, entry.stop).pipe(
          Effect.tap((running) => Effect.sync(() => journal.attach(running))),
          Effect.flatMap((running) => runner().run(running)),
          Effect.exit,
          Effect.flatMap((exit) => Effect.andThen(leave(id), Deferred.done(entry.ended, exit)))
        )
        yield* Effect.forkDetach(whole, { startImmediately: true })
        return Deferred.await(entry.ended)
      })

    const signal: TaskRegistry["Service"]["signal"] = (id, why) =>
      Effect.suspend(() => {
        const entry = entries.get(id)
        return entry === undefined ? Effect.void : Effect.asVoid(Deferred.succeed(entry.stop, why))
      })

    const stop: TaskRegistry["Service"]["stop"] = (id, why) =>
      Effect.suspend(() => {
        const entry = entries.get(id)
        return entry === undefined
          ? Effect.void
          : Effect.andThen(signal(id, why), Effect.asVoid(Effect.exit(Deferred.await(entry.ended))))
      })

    // A host that closes its scope with tasks running stops them, so that none is left leased.
    yield* Effect.addFinalizer((exit) =>
      Effect.forEach([...entries.keys()], (id) => stop(id, { reason: Exit.isSuccess(exit) ? "host" : "crash" }), {
        concurrency: "unbounded",
        discard: true
      })
    )

    return { has: (id) => entries.has(id), ids: () => new Set(entries.keys()), launch, signal, stop }
  })
