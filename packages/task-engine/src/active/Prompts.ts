/** What is shown to the person of this process: one ask at a time, in the order in which they came. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"

export class Prompts extends Context.Service<
  Prompts,
  {
    /** Shows it when no other one is shown. */
    readonly one: <A, E, R>(shown: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("@belay/task-engine/Prompts") {
  static readonly layer: Layer.Layer<Prompts> = Layer.effect(
    Prompts,
    Effect.map(Semaphore.make(1), (prompts) => Prompts.of({ one: (shown) => prompts.withPermit(shown) }))
  )
}
