/**
 * The rules for what dead processes left, as a service: it finds repairs and applies none.
 *
 * Every store asks the one that its host composes, on the facts that it has read in the transaction that writes the
 * repairs, and checks each of them with `LegalDecision` before it does. So a host can repair less or otherwise than
 * `Reconcile`, and none can store what no history may hold. `repairs` must do no I/O: the database is locked meanwhile.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reconcile from "./Reconcile.ts"

/** Says what to repair. Replace the service to leave a task to a person that `Reconcile` would repair. */
export class Reconciler extends Context.Service<
  Reconciler,
  {
    /** One round of repairs; a store applies them and asks again until none is left. */
    readonly repairs: (facts: Reconcile.Facts) => Effect.Effect<ReadonlyArray<Reconcile.Repair>>
  }
>()("@belay/task-state/Reconciler") {
  /** `Reconcile.repairs`; has no requirements. */
  static readonly layer: Layer.Layer<Reconciler> = Layer.succeed(Reconciler, {
    repairs: (facts) => Effect.sync(() => Reconcile.repairs(facts))
  })
}
