/**
 * Named places at which a crash is tried: before and after every step that the lifecycle specification lists.
 *
 * `hit` does nothing unless a host provides another one; a host that is asked to die there does so by SIGKILL.
 */
import * as Context from "effect/Context"

const steps = {
  delegate: ["settle", "commit", "queue", "publish"],
  complete: ["transcript", "commit", "collect", "publish"],
  interrupt: ["abort", "commit", "descendants"],
  resume: ["commit", "run"],
  tool: ["requested", "approved", "started", "run", "finished"]
} as const

type Steps = typeof steps

export type Failpoint = {
  [Op in keyof Steps]: `${Op}.${Steps[Op][number]}.${"before" | "after"}`
}[keyof Steps]

/** Every name, in the order of the steps. */
export const names: ReadonlyArray<Failpoint> = Object.entries(steps).flatMap(([operation, list]) =>
  list.flatMap((step) => [`${operation}.${step}.before`, `${operation}.${step}.after`] as Array<Failpoint>)
)

/** Called at each failpoint that is reached. */
export const Failpoints = Context.Reference<{ readonly hit: (name: Failpoint) => void }>(
  "@belay/task-state/Failpoints",
  { defaultValue: () => ({ hit: () => undefined }) }
)
