/**
 * Tasks that this process takes and does not run yet: from before the commit that takes them until they are launched.
 * Who looks at the leases meanwhile leaves them alone.
 */
import type { TaskId } from "@belay/task-state"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export class PendingLaunches extends Context.Service<
  PendingLaunches,
  {
    readonly ids: () => ReadonlyArray<TaskId.TaskId>
    /** Around the commit that takes the task; one that fails takes nothing. */
    readonly taking: <A, E>(id: TaskId.TaskId, commit: Effect.Effect<A, E>) => Effect.Effect<A, E>
    /** Around the commit by which a task hands over to another one that is taken, and run when the first one has ended. */
    readonly handingOver: <A, E>(
      id: TaskId.TaskId,
      to: TaskId.TaskId,
      commit: Effect.Effect<A, E>
    ) => Effect.Effect<A, E>
    /** The task that another one has handed over to: told once. */
    readonly successor: (id: TaskId.TaskId) => TaskId.TaskId | undefined
    /** Around its launch, after which its runner is known. */
    readonly launching: <A, E>(id: TaskId.TaskId, launch: Effect.Effect<A, E>) => Effect.Effect<A, E>
  }
>()("@belay/task-engine/PendingLaunches") {
  static readonly layer: Layer.Layer<PendingLaunches> = Layer.sync(PendingLaunches, () => {
    // One for each commit: another one that fails does not count for it.
    const marks = new Set<{ readonly id: TaskId.TaskId }>()
    const successors = new Map<TaskId.TaskId, TaskId.TaskId>()

    const taking = <A, E>(id: TaskId.TaskId, commit: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.suspend(() => {
        const mark = { id }
        marks.add(mark)
        return Effect.onError(commit, () => Effect.sync(() => marks.delete(mark)))
      })

    return PendingLaunches.of({
      ids: () => [...marks].map(({ id }) => id),
      taking,
      handingOver: (id, to, commit) =>
        Effect.suspend(() => {
          successors.set(id, to)
          return Effect.onError(taking(to, commit), () => Effect.sync(() => successors.delete(id)))
        }),
      successor: (id) => {
        const to = successors.get(id)
        successors.delete(id)
        return to
      },
      launching: (id, launch) =>
        Effect.ensuring(
          launch,
          Effect.sync(() => {
            for (const mark of marks) if (mark.id === id) marks.delete(mark)
          })
        )
    })
  })
}
