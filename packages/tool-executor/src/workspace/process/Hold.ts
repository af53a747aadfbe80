/** What holds together all that a child process has started, so that it can be asked about and ended as one. */
import type * as Effect from "effect/Effect"

export interface Hold {
  /** The system holds it together; false where processes live on that nobody can tell. */
  readonly isWhole: boolean
  /** Some process of it is alive. */
  readonly isAlive: Effect.Effect<boolean>
  /** Ends all of it, whatever the state of the child. */
  readonly end: Effect.Effect<void>
}
