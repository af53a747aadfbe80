/** When to try again, as a pure function: 500 ms doubled each time up to 8 s, less up to a quarter, or what was asked. */
import type { Failure } from "./failure.ts"

const FIRST = 500
const CAP = 8_000
/** Nobody is kept waiting longer than this for a single answer. */
const LONGEST = 60_000

/**
 * Milliseconds until try `number` (1 for the first repetition), or `undefined` when it should not be tried again.
 * `chance` is in [0, 1).
 */
export const delayBefore = (failure: Failure, number: number, most: number, chance: number): number | undefined => {
  if (!failure.retryable || number > most) return undefined
  if (failure.retryAfterMs === undefined) return Math.min(FIRST * 2 ** (number - 1), CAP) * (1 - chance / 4)
  return failure.retryAfterMs > LONGEST ? undefined : failure.retryAfterMs
}
