/**
 * Where events go: persist, then publish. Listeners get every durable event once, in the order of its task's `seq`.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { TaskEvent } from "./LiveEvent.ts"

/** Receives every event of this process, in order. */
export type Listener = (event: TaskEvent) => void

/** Tells listeners every event of the tasks that run in this process. */
export class TaskEvents extends Context.Service<
  TaskEvents,
  {
    readonly publish: (event: TaskEvent) => void
    /** The listener is called synchronously and must not throw; it is removed when the scope closes. */
    readonly listen: (listener: Listener) => Effect.Effect<void, never, Scope.Scope>
  }
>()("@belay/task-engine/TaskEvents") {
  static readonly layer: Layer.Layer<TaskEvents> = Layer.sync(TaskEvents, () => {
    const listeners = new Set<Listener>()
    return TaskEvents.of({
      publish: (event) => {
        for (const listener of listeners) listener(event)
      },
      listen: (listener) =>
        Effect.asVoid(
          Effect.acquireRelease(
            Effect.sync(() => listeners.add(listener)),
            () => Effect.sync(() => listeners.delete(listener))
          )
        )
    })
  })
}
