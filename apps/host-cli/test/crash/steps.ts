/** The failpoints by where a task can be killed at them. */
import { Failpoint } from "@belay/task-state"

export const of = (operation: string): ReadonlyArray<string> =>
  Failpoint.names.filter((name) => name.startsWith(`${operation}.`))

/** Reached by every run. */
export const running = [...of("tool"), ...of("checkpoint"), ...of("delegate"), ...of("complete")]

/** The first call is a read, the third a command; the third completion is the root's. */
export const later = [
  ...of("tool"),
  ...of("complete").filter((name) => !name.includes("collect") && !name.includes("publish"))
].map((name) => `${name}:3`)

/** Operations that something from outside begins: a signal, or a command on the task. */
const fromOutside: ReadonlyArray<string> = ["interrupt", "abandon", "redelegate", "delete", "condense"]

/** Where a resume can be killed. */
export const resuming = Failpoint.names.filter((name) => !fromOutside.includes(name.split(".")[0] ?? ""))
