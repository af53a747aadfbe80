/**
 * How long a task waits by itself for a service that fails for a while: one that is overloaded, that has had too many
 * requests, or that is down.
 *
 * A host says so, since a task of a script fails rather than to wait for hours. A person can end a wait.
 */
import type { ModelError } from "@belay/model-client"
import type { TaskId } from "@belay/task-state"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

/** Waits, and for how long. */
export interface Patience {
  /** Milliseconds before each further request, in their order; none: the task does not wait. */
  readonly delays: ReadonlyArray<number>
  /** Ends after so many milliseconds, or before where a person wants it. */
  readonly sleep: (task: TaskId.TaskId, ms: number) => Effect.Effect<void>
}

/** Nothing is waited for, unless a host wants it. */
export const Patience = Context.Reference<Patience>("@belay/task-engine/Patience", {
  defaultValue: () => ({ delays: [], sleep: (_, ms) => Effect.sleep(ms) })
})

const minute = 60_000

/** Half a minute first, five minutes at most, two hours in all. */
export const hours: Patience["delays"] = [
  minute / 2,
  minute,
  2 * minute,
  ...Array.from({ length: 23 }, () => 5 * minute)
]

/** Waits that a person can end. */
export const make = (
  delays: Patience["delays"]
): { readonly patience: Patience; readonly tryNow: (task: TaskId.TaskId) => boolean } => {
  const waiting = new Map<TaskId.TaskId, Deferred.Deferred<void>>()
  return {
    patience: {
      delays,
      sleep: (task, ms) =>
        Effect.gen(function* () {
          const ended = yield* Deferred.make<void>()
          waiting.set(task, ended)
          yield* Effect.race(Effect.sleep(ms), Deferred.await(ended)).pipe(
            Effect.ensuring(Effect.sync(() => waiting.delete(task)))
          )
        })
    },
    tryNow: (task) => {
      const ended = waiting.get(task)
      if (ended !== undefined) Deferred.doneUnsafe(ended, Effect.void)
      return ended !== undefined
    }
  }
}

/** Nobody is kept waiting longer for one request, whatever the service asks for. */
const longest = 60 * minute

/** Milliseconds until the request is made again; nothing when it is not waited for. */
export const delay = ({ delays }: Patience, { reason }: ModelError.ModelError, waited: number): number | undefined => {
  const next = delays[waited]
  switch (reason._tag) {
    case "RateLimited":
      return next === undefined ? undefined : Math.min(Math.max(next, reason.retryAfterMs ?? 0), longest)
    case "Overloaded":
    case "ServerFailed":
      return next
    default:
      return undefined
  }
}
