/**
 * Whether the person is typing, as far as the editor tells: so that nothing opens while a key is on its way.
 *
 * Pure of the editor: who hears a key says so.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Milliseconds without a key. */
const length = 1500

export interface TypingIdle {
  /** A key was pressed. */
  readonly touched: () => void
  /** Ends when no key was pressed for a second and a half. */
  readonly quiet: Effect.Effect<void>
}

/** Begins as if a key had been pressed long ago. */
export const make: Effect.Effect<TypingIdle> = Clock.clockWith((clock) =>
  Effect.sync(() => {
    let last = -Infinity
    const left = (): number => last + length - clock.currentTimeMillisUnsafe()
    return {
      touched: () => {
        last = clock.currentTimeMillisUnsafe()
      },
      quiet: Effect.gen(function* () {
        while (left() > 0) yield* Effect.sleep(left())
      })
    }
  })
)
