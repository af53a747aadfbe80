/**
 * Who changed which file since a checkpoint, beside the task itself.
 */
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import type { Undone } from "../Change.ts"
import type { CheckpointId } from "../Checkpoint.ts"
import * as Timeline from "../Timeline.ts"
import type { BytePath } from "./bytePath.ts"
import type { Entry } from "./refs.ts"
import type { Store } from "./store.ts"
import * as Trees from "./trees.ts"

export const since = Effect.fnUntraced(function* (
  store: Store,
  entries: ReadonlyArray<Entry>,
  id: CheckpointId,
  now: string
) {
  const user = new Set<BytePath>()
  const tasks = new Map<BytePath, Set<TaskId.TaskId>>()
  const stretches = Timeline.stretchesSince(
    entries.map(({ checkpoint }) => checkpoint),
    id
  )
  for (const { from, task, to } of stretches) {
    for (const { file } of yield* Trees.differences(store, from.tree, to?.tree ?? now)) {
      if (task === undefined) user.add(file)
      else tasks.set(file, (tasks.get(file) ?? new Set()).add(task))
    }
  }
  return (difference: Trees.Difference): Undone => ({
    ...Trees.changeOf(difference),
    byUser: user.has(difference.file) && !tasks.has(difference.file),
    byTasks: [...(tasks.get(difference.file) ?? [])]
  })
})
