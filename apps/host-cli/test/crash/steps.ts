/** The failpoints by where a task can be killed at them. */
import { Failpoint } from "@belay/task-state"

export const of = (operation: string): ReadonlyArray<string> =>
  Failpoint.names.filter((name) => name.startsWith(`${operation}.`))

/** Reached by every run. */
export const running = [...of("tool"), ...of("delegate"), ...of("complete")]

/** The first call is a read, the third a command; the third completion is the root's. */
export const later = [
  ...of("tool"),
  ...of("complete").filter((name) => !name.includes("collect") && !name.includes("publish"))
].map((name) => `${name}:3`)

/** Where a resume can be killed; only a signal leads to the others. */
export const resuming = Failpoint.names.filter((name) => !name.startsWith("interrupt."))
