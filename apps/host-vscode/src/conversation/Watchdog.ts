/**
 * Whether a view that is seen answers, and what is done when it does not.
 *
 * Its document is loaded anew first. A frame whose process ended, or whose thread is blocked for good, takes no document:
 * then another frame is put in its place. When that does not help either, the person is told, once.
 */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

/** `ask`: send a question and look again later. */
export type Step = "ask" | "reload" | "renew" | "tell"

const every = "5 seconds"

/** Questions without an answer before something is done; a view that has never answered may still be starting. */
const patience = 2
const patienceAtStart = 6

const steps = ["reload", "renew", "tell"] as const

export class Watchdog {
  #unanswered = 0
  #taken = 0
  #hasAnswered = false
  #wasRevived = false

  /** What to do now. */
  readonly step = (): Step => {
    const most = this.#hasAnswered || this.#taken > 0 ? patience : patienceAtStart
    const step = this.#unanswered < most ? "ask" : (steps[this.#taken] ?? "ask")
    if (step === "ask") {
      this.#unanswered += 1
      return step
    }
    this.#taken += 1
    if (step !== "tell") this.#wasRevived = true
    // A new document says by itself that it is there.
    this.#unanswered = 1
    return step
  }

  /** Something came from the view. */
  readonly answered = (): void => {
    this.#unanswered = 0
    this.#taken = 0
    this.#hasAnswered = true
  }

  /** It was hidden, or is shown again: it begins anew by itself. */
  readonly began = (): void => {
    this.#unanswered = 0
    this.#hasAnswered = false
  }

  /** Whether it was revived since this was last asked. */
  readonly wasRevived = (): boolean => {
    const was = this.#wasRevived
    this.#wasRevived = false
    return was
  }
}

/** Does what is to be done while the view is seen, until it is interrupted. */
export const follow = (
  watchdog: Watchdog,
  isVisible: () => boolean,
  does: Readonly<Record<Step, () => void>>
): Effect.Effect<unknown> =>
  Effect.repeat(
    Effect.sync(() => isVisible() && does[watchdog.step()]()),
    Schedule.spaced(every)
  )
