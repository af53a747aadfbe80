/**
 * The time in which a key was meant for what was there before: after an ask appears, gets the focus by the keyboard, or
 * the window gets the focus. Nothing that is chosen in it counts.
 */

/** Milliseconds. */
export const length = 400

export interface DeadTime {
  readonly restart: () => void
  readonly isOver: () => boolean
}

export const make = (now: () => number): DeadTime => {
  let since = now()
  return {
    restart: () => {
      since = now()
    },
    isOver: () => now() - since >= length
  }
}
