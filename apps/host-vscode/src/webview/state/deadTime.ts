/**
 * The time in which a key was meant for what was there before: after an ask appears, gets the focus by the keyboard, or
 * the view gets the focus. Nothing that is chosen in it counts.
 */

/** Milliseconds. */
const length = 400

export interface DeadTime {
  /** It begins anew. */
  readonly restart: () => void
  /** The view got the focus. */
  readonly focused: () => void
  /**
   * A press on what is asked, which is meant for it, and gives the view its focus a moment before where that has a
   * process of its own. Whether the whole window got the focus by it is known to the extension alone.
   */
  readonly pressed: () => void
  /** Milliseconds until it is over; 0 when it is. */
  readonly left: () => number
}

export const make = (now: () => number): DeadTime => {
  let since = now()
  let focus = -Infinity
  return {
    restart: () => {
      since = now()
    },
    focused: () => {
      focus = now()
    },
    pressed: () => {
      focus = -Infinity
    },
    left: () => Math.max(0, Math.max(since, focus) + length - now())
  }
}
