/**
 * Permits: the right to call the model. At most `concurrency` subtasks hold one at a time; a root needs none.
 *
 * A permit is given up while a task waits for its subtasks, so nothing waits for a permit while holding one, and it is
 * released exactly once, however the task ends.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import type { Running } from "./Running.ts"

export const defaultConcurrency = 4

export class TaskScheduler extends Context.Service<
  TaskScheduler,
  {
    readonly acquire: (running: Running) => Effect.Effect<void>
    readonly release: (running: Running) => Effect.Effect<void>
  }
>()("@belay/task-engine/TaskScheduler") {}

export const layer = (concurrency: number): Layer.Layer<TaskScheduler> =>
  Layer.effect(
    TaskScheduler,
    Effect.map(Semaphore.make(concurrency), (semaphore) =>
      TaskScheduler.of({
        acquire: (running) =>
          running.record.lineage.depth === 0 || running.holdsPermit
            ? Effect.void
            : Effect.uninterruptibleMask((restore) =>
                Effect.andThen(
                  restore(semaphore.take(1)),
                  Effect.sync(() => {
                    running.holdsPermit = true
                  })
                )
              ),
        release: (running) =>
          Effect.suspend(() => {
            if (!running.holdsPermit) return Effect.void
            running.holdsPermit = false
            return Effect.asVoid(semaphore.release(1))
          })
      })
    )
  )
