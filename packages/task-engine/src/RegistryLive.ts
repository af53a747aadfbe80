/** The registry over one runner: each task at most once, its end told to everybody who waits for it. */
import { TaskHistory } from "@belay/history-store"
import type { TaskId } from "@belay/task-state"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as Scope from "effect/Scope"
import { Journal } from "./Journal.ts"
import { TaskRegistry } from "./Registry.ts"
import type { Ended, Running } from "./Running.ts"
import * as Runner from "./Runner.ts"

/** `runner` is read when a task is run, because runners need the registry themselves. */
export const make = (
  runner: () => Runner.Runner
): Effect.Effect<TaskRegistry["Service"], never, Journal | TaskHistory | Scope.Scope> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const history = yield* TaskHistory
    const scope = yield* Scope.Scope
    const waiting = new Map<TaskId.TaskId, Deferred.Deferred<Ended, any>>()
    const quiet = yield* Latch.make(true)

    const leave = (id: TaskId.TaskId) =>
      Effect.sync(() => {
        journal.detach(id)
        waiting.delete(id)
        if (waiting.size === 0) quiet.openUnsafe()
      })

    const carry = (running: Running, begin: "start" | "resume") =>
      Effect.suspend(() => {
        journal.attach(running)
        return runner().run(running, begin)
      })

    const run: TaskRegistry["Service"]["run"] = (id, begin) =>
      Effect.gen(function* () {
        const joined = waiting.get(id)
        if (joined !== undefined) return yield* Deferred.await(joined)
        const ended = yield* Deferred.make<Ended, any>()
        waiting.set(id, ended)
        quiet.closeUnsafe()
        const whole = Effect.flatMap(Runner.open(history, id), (running) => carry(running, begin)).pipe(
          Effect.exit,
          Effect.flatMap((exit) => Effect.andThen(leave(id), Deferred.done(ended, exit)))
        )
        yield* Effect.forkIn(whole, scope, { startImmediately: true })
        return yield* Deferred.await(ended)
      })

    const stop: TaskRegistry["Service"]["stop"] = (id, why) =>
      Effect.suspend(() => {
        const running = journal.running.get(id)
        const ended = waiting.get(id)
        if (running === undefined || ended === undefined) return Effect.void
        return Effect.andThen(Deferred.succeed(running.stop, why), Effect.ignore(Deferred.await(ended)))
      })

    // A host that closes its scope with tasks running stops them, so that none is left leased.
    yield* Effect.addFinalizer((exit) =>
      Effect.forEach([...waiting.keys()], (id) => stop(id, { reason: Exit.isSuccess(exit) ? "host" : "crash" }), {
        concurrency: "unbounded",
        discard: true
      })
    )

    return { has: (id) => waiting.has(id), ids: () => new Set(waiting.keys()), run, stop, idle: quiet.await }
  })
