/**
 * The one way in which the engine writes: commit, bring running tasks up to date, publish.
 *
 * A commit and its publication are not interrupted half-way, so what was stored was also seen by the runner. A runner
 * hears of its own attempt alone: the commit that begins another one, or deletes the task, ends it. The places before and
 * after a step at which a crash is tried are reached here, too.
 */
import type { Event, Step } from "@belay/history-store"
import { type History, HistoryError, TaskHistory } from "@belay/history-store"
import type { Command, TaskId } from "@belay/task-state"
import { Failpoint } from "@belay/task-state/unstable"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as OpenAsk from "./OpenAsk.ts"
import { isLost, type ActiveTask } from "./ActiveTask.ts"
import { TaskEvents } from "./TaskEvents.ts"
import * as UnsavedText from "./UnsavedText.ts"
import * as Telemetry from "./Telemetry.ts"
import * as Transitions from "./Transitions.ts"

/** What a commit and its publication are in the table of crash points. */
export interface Points {
  readonly commit: Failpoint.Step
  readonly publish?: Failpoint.Step
}

const concerns = (step: Step.Step, id: TaskId.TaskId): boolean =>
  step._tag === "Lifecycle" ? step.request.taskId === id : "taskId" in step && step.taskId === id

export class Journal extends Context.Service<
  Journal,
  {
    readonly commit: (
      steps: ReadonlyArray<Step.Step>,
      points?: Points
    ) => Effect.Effect<History.Committed, Command.TransitionRejected | HistoryError.HistoryError>
    /** Fails when a commit or `look` finds from now on that nothing more can be written. */
    readonly lost: Effect.Effect<never, HistoryError.HistoryError>
    /** The version of the history, for whoever looks for changes. */
    readonly look: Effect.Effect<number, HistoryError.HistoryError>
    /** Reaches the places before and after a step. */
    readonly around: <A, E>(step: Failpoint.Step, effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
    /** Says that this place is reached. */
    readonly reached: (name: Failpoint.Failpoint) => Effect.Effect<void>
    /** Keeps a running task up to date with everything that is committed, whoever commits it. */
    readonly attach: (running: ActiveTask) => void
    readonly detach: (id: TaskId.TaskId) => void
    readonly running: ReadonlyMap<TaskId.TaskId, ActiveTask>
    /** A commit that concerns the task is under way: whether its runner still has it is told by that. */
    readonly isWriting: (id: TaskId.TaskId) => boolean
  }
>()("@belay/task-engine/Journal") {
  static readonly layer: Layer.Layer<Journal, never, TaskHistory | TaskEvents> = Layer.effect(
    Journal,
    Effect.gen(function* () {
      const history = yield* TaskHistory
      const events = yield* TaskEvents
      const failpoints = yield* Failpoint.Failpoints
      const telemetry = yield* Telemetry.Telemetry
      const tasks = new Map<TaskId.TaskId, ActiveTask>()
      const underWay = new Set<ReadonlyArray<Step.Step>>()

      const named = Effect.provideService(Failpoint.Failpoints, failpoints)

      const reached = (name: Failpoint.Failpoint) => named(Failpoint.reached(name))

      const around = <A, E>(step: Failpoint.Step | undefined, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
        step === undefined ? effect : named(Failpoint.around(step, effect))

      const observe = (event: Event.StoredEvent): void => {
        const running = tasks.get(event.taskId)
        if (running !== undefined && !isLost(running)) Transitions.observed(running, event)
      }

      const publish = (committed: History.Committed) =>
        Effect.sync(() => {
          for (const [id, record] of committed.records) {
            const running = tasks.get(id)
            if (running !== undefined) Transitions.followed(running, record)
          }
          for (const event of committed.events) {
            observe(event)
            events.publish(event)
          }
          for (const [id, { lineage }] of committed.records) {
            for (const concerned of [id, lineage.parentId]) tasks.get(concerned ?? id)?.news.openUnsafe()
          }
        })
      let lost = Deferred.makeUnsafe<never, HistoryError.HistoryError>()

      const noticeLoss = (error: unknown) =>
        Effect.sync(() => {
          if (!HistoryError.isFinal(error)) return
          const before = lost
          // What is put back can be written again, by runners that begin then.
          lost = Deferred.makeUnsafe()
          Deferred.doneUnsafe(before, Effect.fail(error))
        })

      const failing = (steps: ReadonlyArray<Step.Step>) => (error: unknown) =>
        HistoryError.isFinal(error) ? Effect.andThen(noticeLoss(error), UnsavedText.tellOf(steps)) : Effect.void

      const commit: Journal["Service"]["commit"] = (steps, points) =>
        Effect.sync(() => underWay.add(steps)).pipe(
          Effect.andThen(around(points?.commit, Effect.tapError(history.commit(steps), failing(steps)))),
          Effect.tap((committed) => around(points?.publish, publish(committed))),
          Effect.tap(({ events: stored }) => Telemetry.tellTo(telemetry, stored)),
          Effect.ensuring(Effect.sync(() => underWay.delete(steps))),
          Effect.uninterruptible
        )

      return Journal.of({
        commit,
        lost: Effect.suspend(() => Deferred.await(lost)),
        look: Effect.tapError(history.version, noticeLoss),
        around,
        reached,
        attach: (running) => void tasks.set(running.id, running),
        detach: (id) => {
          const running = tasks.get(id)
          tasks.delete(id)
          if (running !== undefined) OpenAsk.abandon(running.asks)
        },
        running: tasks,
        isWriting: (id) => [...underWay].some((steps) => steps.some((step) => concerns(step, id)))
      })
    })
  )
}
