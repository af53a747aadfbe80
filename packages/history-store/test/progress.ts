/**
 * Proofs of many processes have no deadline, since a loaded machine takes its time: they fail when nothing has moved for
 * long. Ticks count while this process runs, so a machine that was asleep has not moved the less.
 */
import { Effect } from "effect"

const tick = 5_000

/** Five minutes. */
const patience = 60

/** Does the work for as long as the number of moves grows. Only for the real clock. */
export const whileMoving = <A, E, R>(work: Effect.Effect<A, E, R>, moves: () => number): Effect.Effect<A, E, R> => {
  const stalled = Effect.gen(function* () {
    let seen = moves()
    for (let still = 0; still < patience;) {
      yield* Effect.sleep(tick)
      still = seen === moves() ? still + 1 : 0
      seen = moves()
    }
    return yield* Effect.die(new Error(`nothing moved for ${(patience * tick) / 60_000} min`))
  })
  return Effect.raceFirst(work, stalled)
}
