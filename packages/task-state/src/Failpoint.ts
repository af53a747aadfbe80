/**
 * Named places at which a crash is tried: before and after every step that the lifecycle specification lists.
 *
 * `hit` does nothing unless a host provides another one; a host that is asked to die there does so by SIGKILL.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

const steps = {
  delegate: ["settle", "commit", "queue", "publish"],
  complete: ["transcript", "commit", "collect", "publish"],
  interrupt: ["abort", "commit", "descendants"],
  resume: ["commit", "run"],
  abandon: ["commit", "stop"],
  restart: ["commit", "stop"],
  delete: ["commit", "files"],
  condense: ["summary", "commit"],
  tool: ["requested", "approved", "started", "run", "finished"],
  checkpoint: ["record", "settle"],
  queue: ["commit"]
} as const

type Steps = typeof steps

/** Names one place: the operation, its step, and the side of the step, as in `complete.commit.before`. */
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

type StepOf<Name> = Name extends `${infer Of}.before` ? Of : never

/** A step with a failpoint before and after it. */
export type Step = StepOf<Failpoint>

/** Says that this place is reached. */
export const reached = (name: Failpoint): Effect.Effect<void> => Effect.map(Failpoints, ({ hit }) => hit(name))

/** Reaches the failpoint before a step, carries it out, and reaches the one after it when it succeeded. */
export const around = <A, E, R>(step: Step, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  reached(`${step}.before` as Failpoint).pipe(Effect.andThen(effect), Effect.tap(reached(`${step}.after` as Failpoint)))
