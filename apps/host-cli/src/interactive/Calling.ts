/** Calls a person who looks elsewhere: for what waits for them, and where the desktop can tell it, for what is over. */
import type { Painter } from "./screen/Painter.ts"
import type { Known } from "./Wishes.ts"

export class Calling {
  readonly #painter: Pick<Painter, "ring" | "notify">
  /** As far as the terminal tells it. */
  #isFocused = true
  #notifies = false

  constructor(painter: Pick<Painter, "ring" | "notify">) {
    this.#painter = painter
  }

  readonly focused = (isFocused: boolean): void => void (this.#isFocused = isFocused)

  /** The desktop tells it from now on. */
  readonly notify = (): void => void (this.#notifies = true)

  /** What is known has changed. */
  readonly follow = (before: Known, { asks, header, isBusy }: Known): void => {
    if (this.#isFocused) return
    const known = new Set(before.asks.map(({ ask }) => ask.askId))
    const asked = asks.find(({ ask }) => !known.has(ask.askId))
    if (asked !== undefined) this.#painter.ring()
    if (!this.#notifies) return
    if (asked !== undefined) this.#painter.notify(`Needs you: ${asked.ask.heading}`)
    else if (before.isBusy && !isBusy && header !== undefined) this.#painter.notify(`${header.title}: it is your turn`)
  }
}
