/**
 * The time after something appeared, or the window got the focus, in which a key was meant for what was there before.
 *
 * Nothing that is chosen in it counts.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Milliseconds. */
const length = 400

export interface InputGuard {
  readonly isOver: () => boolean
  /** It begins anew, as when the window gets the focus. */
  readonly restart: () => void
}

/** Begins now. */
export const begin: Effect.Effect<InputGuard> = Clock.clockWith((clock) =>
  Effect.sync(() => {
    let since = clock.currentTimeMillisUnsafe()
    return {
      isOver: () => clock.currentTimeMillisUnsafe() - since >= length,
      restart: () => {
        since = clock.currentTimeMillisUnsafe()
      }
    }
  })
)
