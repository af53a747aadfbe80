/** Snapshots of a workspace for programs without Effect, outside of the user's repository. */
import { run } from "@belay/machine/promise"
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import { CheckpointId } from "./Checkpoint.ts"
import { CheckpointError as Failure } from "./CheckpointError.ts"
import { openStores } from "./Checkpoints.ts"
import type { CheckpointOptions, Checkpoints } from "./promise/Snapshots.ts"

export type * from "./promise/Snapshots.ts"

/** A checkpoint that could not be made, read or restored; `reason` says why. */
export const CheckpointError: abstract new (...given: never) => Error & {
  readonly _tag: "CheckpointError"
  readonly reason: string
} = Failure

/** The snapshots of a workspace; nothing is made before the first. Throws for a text that is no id of a task. */
export const openCheckpoints = ({ taskId, workspace, ...options }: CheckpointOptions): Checkpoints => {
  const stores = openStores(options)
  const place = { taskId: TaskId.TaskId.make(taskId), workspace }
  const pathsOf = (paths: ReadonlyArray<string> | undefined) => (paths === undefined ? {} : { paths })
  const to = (id: string | undefined) => (id === undefined ? ("now" as const) : CheckpointId.make(id))
  return {
    snapshot: () =>
      run(
        Effect.gen(function* () {
          const made = yield* stores.list(place)
          const messageIndex = (made.at(-1)?.messageIndex ?? -1) + 1
          const { _tag, id } = yield* stores.record({ ...place, messageIndex, moment: "after" })
          return { id, changed: _tag === "Recorded" }
        })
      ),
    list: () => run(stores.list(place)),
    compare: (from, until) => run(stores.compare({ ...place, from: CheckpointId.make(from), to: to(until) })),
    patch: (from, until) => run(stores.patch({ ...place, from: CheckpointId.make(from), to: to(until) })),
    preview: (id, paths) => run(stores.preview({ ...place, to: CheckpointId.make(id), ...pathsOf(paths) })),
    restore: (id, paths) => run(stores.restore({ ...place, to: CheckpointId.make(id), ...pathsOf(paths) }))
  }
}
