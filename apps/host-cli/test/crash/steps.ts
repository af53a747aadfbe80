/** The failpoints by where a task can be killed at them. */
import { Failpoint } from "@belay/task-state/unstable"

/** `npm run test:full` and `pnpm proof` ask for all of it; a test run takes a sample, the same every time. */
export const full = process.env["BELAY_PROOF"] !== undefined

export const of = (operation: string): ReadonlyArray<string> =>
  Failpoint.names.filter((name) => name.startsWith(`${operation}.`))

/** Reached by every run. */
export const running = [...of("tool"), ...of("checkpoint"), ...of("delegate"), ...of("complete")]

/** The first call is a read, the third a command; the third completion is the root's. */
export const later = [
  ...of("tool"),
  ...of("complete").filter((name) => !name.includes("collect") && !name.includes("publish"))
].map((name) => `${name}:3`)

const operationOf = (name: string | undefined): string | undefined => name?.split(".")[0]

/** Operations that something from outside begins: a signal, or a command on the task. */
const fromOutside: ReadonlyArray<string> = ["interrupt", "abandon", "restart", "delete", "condense", "queue"]

/** Where a resume can be killed. */
export const resuming = Failpoint.names.filter((name) => !fromOutside.includes(operationOf(name) ?? ""))

/** What lies right after a step is right before the next one of its operation. */
const isNext = (name: string, next: string | undefined): boolean =>
  name.includes(".after") && operationOf(next) === operationOf(name)

/** Both sides of each step: a sample has each place between two steps once. */
export const sides = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  full ? names : names.filter((name, index) => !isNext(name, names[index + 1]))

/** Of these names those at whose place nobody was killed, at them or at the next one. */
export const missed = (names: ReadonlyArray<string>, reached: ReadonlySet<string>): ReadonlyArray<string> =>
  names.filter((name, index) => {
    const next = names[index + 1]
    return !reached.has(name) && (full || next === undefined || !isNext(name, next) || !reached.has(next))
  })
