/** The time of day here. */

let made: Intl.DateTimeFormat | undefined
const format = (): Intl.DateTimeFormat =>
  (made ??= new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" }))

// It takes as long as all of the view's script: that is over before the host has answered.
setTimeout(format)

/** Of a moment in ms since 1970. */
export const clock = (ts: number): string => format().format(ts)
