/**
 * What was seen of the file system while calls that were given together are explained, so that nothing is looked up twice.
 *
 * Guarantees: a key holds all that the answer depends on besides the file system; a failure is not kept. Who keeps it
 * forgets it before it takes calls that were given later, and gives it to no call that runs: without one, every look is
 * a new one.
 */
import * as Effect from "effect/Effect"

/** Keeps the answers of look-ups. `once` keeps a value, `asked` the success of an effect. */
export interface Looked {
  readonly once: <A>(key: ReadonlyArray<unknown>, look: () => A) => A
  readonly asked: <A, E, R>(key: ReadonlyArray<unknown>, ask: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  readonly forget: () => void
}

/** Makes a memory of look-ups that knows nothing yet. */
export const make = (): Looked => {
  const known = new Map<string, unknown>()
  return {
    once: (key, look) => {
      const text = JSON.stringify(key)
      if (!known.has(text)) known.set(text, look())
      // What is kept under a key is what was looked up for it.
      return known.get(text) as ReturnType<typeof look>
    },
    asked: (key, ask) =>
      Effect.suspend(() => {
        const text = JSON.stringify(key)
        return known.has(text)
          ? Effect.succeed(known.get(text) as Effect.Success<typeof ask>)
          : Effect.tap(ask, (found) => Effect.sync(() => known.set(text, found)))
      }),
    forget: () => known.clear()
  }
}

/** Keeps nothing. */
export const never: Looked = { once: (_, look) => look(), asked: (_, ask) => ask, forget: () => {} }
