/**
 * Tasks that this process takes and does not run yet: from before the commit that takes them until they are launched.
 * Who looks at the leases meanwhile leaves them alone.
 */
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"

export interface PendingLaunches {
  readonly ids: () => ReadonlyArray<TaskId.TaskId>
  /** Around the commit that takes the task; one that fails takes nothing. */
  readonly taking: <A, E>(id: TaskId.TaskId, commit: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Around its launch, after which its runner is known. */
  readonly launching: <A, E>(id: TaskId.TaskId, launch: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

export const make = (): PendingLaunches => {
  // One for each commit: another one that fails does not count for it.
  const marks = new Set<{ readonly id: TaskId.TaskId }>()
  return {
    ids: () => [...marks].map(({ id }) => id),
    taking: (id, commit) =>
      Effect.suspend(() => {
        const mark = { id }
        marks.add(mark)
        return Effect.onError(commit, () => Effect.sync(() => marks.delete(mark)))
      }),
    launching: (id, launch) =>
      Effect.ensuring(
        launch,
        Effect.sync(() => {
          for (const mark of marks) if (mark.id === id) marks.delete(mark)
        })
      )
  }
}
