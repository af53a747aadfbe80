/** What a view was told besides the rows: of what it is told next only what differs goes to it. */
import type { View } from "@belay/interaction"

type Head = Partial<View.Whole>

const isSame = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right)

export class ToldHead {
  #told: Head = {}

  /** What waits for a person; nothing before the view was told. */
  get asks(): Head["asks"] {
    return this.#told.asks
  }

  /** The view is told all of it. */
  readonly tell = (now: Head): void => {
    this.#told = now
  }

  /** What the view does not know; nothing when it knows all of it. */
  readonly news = (now: Head): Head | undefined => {
    const changed = Object.entries(now).filter(([name, value]) => !isSame(this.#told[name as keyof Head], value))
    return changed.length === 0 ? undefined : Object.fromEntries(changed)
  }
}
