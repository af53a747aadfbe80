/**
 * What follows from a log, kept while the log grows: what was looked at once is not looked at again.
 *
 * A log is an array that whoever has it appends to; each fold knows it by that array. Where something before its end has
 * become another value, as when a conversation was condensed, it is looked at from the beginning.
 */

interface Known<A, S> {
  seen: Array<A>
  state: S
}

const begins = <A>(log: ReadonlyArray<A>, seen: ReadonlyArray<A>): boolean => {
  if (log.length < seen.length) return false
  for (let at = 0; at < seen.length; at++) if (log[at] !== seen[at]) return false
  return true
}

/**
 * Makes a fold. `step` gets each message of a log once, and may change the state it is given; what the fold returns is that
 * state, which later calls change.
 */
export const make = <A extends object, S>(
  initial: () => S,
  step: (state: S, item: A) => S
): ((log: ReadonlyArray<A>) => S) => {
  const logs = new WeakMap<ReadonlyArray<A>, Known<A, S>>()
  return (log) => {
    const before = logs.get(log)
    const known = before !== undefined && begins(log, before.seen) ? before : { seen: [], state: initial() }
    if (known !== before) logs.set(log, known)
    for (let at = known.seen.length; at < log.length; at++) {
      const item = log[at]!
      known.state = step(known.state, item)
      known.seen.push(item)
    }
    return known.state
  }
}
