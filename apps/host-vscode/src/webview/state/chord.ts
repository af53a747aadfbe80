/**
 * The second key of a chord that began here with Ctrl+K, or Command+K: the window carries it out and still lets the view
 * type it.
 */

/** ms in which the window waits for the second key. */
const patience = 5000

/** What is told of a key that was pressed. */
export interface Pressed {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
}

const modifiers = new Set(["Control", "Meta", "Shift", "Alt"])

export class Chord {
  #until = 0

  /** Whether this key belongs to the window; `now` in milliseconds. */
  readonly takes = ({ ctrlKey, key, metaKey }: Pressed, now: number): boolean => {
    if (modifiers.has(key)) return false
    const isSecond = now < this.#until
    this.#until = !isSecond && (ctrlKey || metaKey) && key.toLowerCase() === "k" ? now + patience : 0
    return isSecond
  }
}
