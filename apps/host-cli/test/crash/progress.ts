/**
 * Proofs of many processes have no deadline, since a loaded machine takes its time: they fail when nothing has moved for
 * long. Ticks count while this process runs, so a machine that was asleep has not moved the less.
 */

const tick = 5_000

/** Five minutes. */
const patience = 60

let moves = 0

/** Something came to its end: a process, or a case. */
export const moved = (): void => void moves++

/** Waits for the work, for as long as anything moves; `underWay` names what did not. */
export const whileMoving = async <A>(work: Promise<A>, underWay: () => string): Promise<A> => {
  const stalled = Promise.withResolvers<never>()
  let seen = moves
  let still = 0
  const watch = setInterval(() => {
    still = seen === moves ? still + 1 : 0
    seen = moves
    if (still >= patience) stalled.reject(new Error(`nothing moved for ${(still * tick) / 60_000} min: ${underWay()}`))
  }, tick)
  try {
    return await Promise.race([work, stalled.promise])
  } finally {
    clearInterval(watch)
  }
}
