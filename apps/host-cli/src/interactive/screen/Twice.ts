/** What is done only when a key is pressed twice: the first time it is said, and any other key forgets that. */

/** How long a second key belongs to the first, in ms. */
const together = 2000

/** The key that was pressed once. */
export class Twice {
  #name = ""
  #at = -Infinity

  /** Says whether this is the second time; the first is remembered. */
  readonly isSecond = (name: string): boolean => {
    const is = name === this.#name && performance.now() - this.#at < together
    this.#name = is ? "" : name
    this.#at = performance.now()
    return is
  }

  /** A key was pressed. */
  readonly follow = (name: string): void => {
    if (name !== this.#name) this.#name = ""
  }
}
