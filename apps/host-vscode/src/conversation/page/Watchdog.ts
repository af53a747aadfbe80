/**
 * Whether a view that is seen answers, and what is done when it does not.
 *
 * One that answered and no longer does has lost its process, or its thread is blocked for good: its frame takes no
 * document, and another one is put in its place within 9 seconds. One that has not begun is loaded anew first. When
 * nothing helps, the person is told, once.
 */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

/** `ask`: send a question and look again later. */
export type Step = "ask" | "reload" | "renew" | "tell"

const every = "1500 millis"

/** Questions without an answer before something is done; a view that has never answered may still be starting. */
const patience = 5
const patienceAtStart = 20

const steps = { begun: ["renew", "tell"], starting: ["reload", "renew", "tell"] } as const

export class Watchdog {
  #unanswered = 0
  #taken = 0
  #hasAnswered = false
  #wasRevived = false

  /** What to do now. */
  readonly step = (): Step => {
    const most = this.#hasAnswered || this.#taken > 0 ? patience : patienceAtStart
    const step =
      this.#unanswered < most ? "ask" : (steps[this.#hasAnswered ? "begun" : "starting"][this.#taken] ?? "ask")
    if (step === "ask") {
      this.#unanswered += 1
      return step
    }
    this.#taken += 1
    if (step !== "tell") this.#wasRevived = true
    this.#unanswered = 0
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
