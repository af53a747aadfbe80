/**
 * The one way in which the engine writes: commit, bring running tasks up to date, publish.
 *
 * A commit and its publication are not interrupted half-way, so what was stored was also seen by the runner.
 */
import type { Event, HistoryError, Step } from "@belay/history-store"
import { type History, TaskHistory } from "@belay/history-store"
import type { Command, TaskId } from "@belay/task-state"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Running } from "./Running.ts"
import { TaskEvents } from "./TaskEvents.ts"

export class Journal extends Context.Service<
  Journal,
  {
    readonly commit: (
      steps: ReadonlyArray<Step.Step>
    ) => Effect.Effect<History.Committed, Command.TransitionRejected | HistoryError.HistoryError>
    /** Keeps a running task up to date with everything that is committed, whoever commits it. */
    readonly attach: (running: Running) => void
    readonly detach: (id: TaskId.TaskId) => void
    readonly running: ReadonlyMap<TaskId.TaskId, Running>
  }
>()("@belay/task-engine/Journal") {
  static readonly layer: Layer.Layer<Journal, never, TaskHistory | TaskEvents> = Layer.effect(
    Journal,
    Effect.gen(function* () {
      const history = yield* TaskHistory
      const events = yield* TaskEvents
      const tasks = new Map<TaskId.TaskId, Running>()
      const observe = (event: Event.StoredEvent): void => {
        const running = tasks.get(event.taskId)
        if (running === undefined) return
        running.lastSeq = event.seq
        running.live = 0
        if (event.type === "message") running.messages.push({ ...event })
        if (event.type === "mode.changed") running.mode = event.to
      }
      const commit = (steps: ReadonlyArray<Step.Step>) =>
        Effect.uninterruptible(
          Effect.tap(history.commit(steps), (committed) =>
            Effect.sync(() => {
              for (const [id, record] of committed.records) {
                const running = tasks.get(id)
                if (running !== undefined) running.record = record
              }
              for (const event of committed.events) {
                observe(event)
                events.publish(event)
              }
            })
          )
        )
      return Journal.of({
        commit,
        attach: (running) => void tasks.set(running.id, running),
        detach: (id) => void tasks.delete(id),
        running: tasks
      })
    })
  )
}
