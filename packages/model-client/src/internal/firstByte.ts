/**
 * The time in which the first byte of an answer has to come: a service that takes a request and never answers is told
 * while it is waited for, and is a failure after that.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Waiting } from "../ModelEvent.ts"

/** Seconds until it is told. */
const silent = 10

export class NoFirstByte extends Error {
  override readonly name = "NoFirstByte"
  constructor(seconds: number) {
    super(`the first byte of the answer did not come within ${seconds} s`)
  }
}

/** Runs a try; `first` is to be called with what comes first. Errors: its own, and `NoFirstByte`. */
export const within = <A, E, T>(
  seconds: number,
  attempt: (first: () => void) => Effect.Effect<A, E>,
  tell: (event: Waiting) => void,
  fail: (cause: NoFirstByte) => T
): Effect.Effect<A, E | T> =>
  Effect.suspend(() => {
    const begun = Deferred.makeUnsafe<void>()
    const late = Effect.gen(function* () {
      if (seconds > silent) {
        yield* Effect.sleep(`${silent} seconds`)
        tell({ _tag: "Waiting", seconds: silent })
      }
      yield* Effect.sleep(`${seconds > silent ? seconds - silent : seconds} seconds`)
      return yield* Effect.fail(fail(new NoFirstByte(seconds)))
    })
    const watch = Effect.andThen(Effect.raceFirst(Deferred.await(begun), late), Effect.never)
    return Effect.raceFirst(
      attempt(() => void Deferred.doneUnsafe(begun, Effect.void)),
      watch
    )
  })
