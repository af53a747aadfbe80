/** Who goes on with a parent whose subtask has completed here, when nobody else is responsible for it: this process. */
import { type HistoryError, TaskHistory } from "@belay/history-store"
import type { TaskId, TaskRecord } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Beginning } from "./Beginning.ts"
import { Journal } from "./Journal.ts"
import { TaskRegistry } from "./Registry.ts"

/** The parent that a completed child leaves for somebody to go on with; it is taken for this process. */
export type Hosting = (
  child: TaskRecord.TaskRecord
) => Effect.Effect<TaskId.TaskId | undefined, HistoryError.HistoryError>

export const make = (beginning: Beginning): Effect.Effect<Hosting, never, Journal | TaskHistory | TaskRegistry> =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const journal = yield* Journal
    const registry = yield* TaskRegistry
    return (child: TaskRecord.TaskRecord) =>
      Effect.gen(function* () {
        const { parentId } = child.lineage
        if (child.status !== "completed" || parentId === undefined || registry.has(parentId)) return undefined
        const parent = yield* history.row(parentId)
        if (Option.isNone(parent)) return undefined
        const { lease, record } = parent.value
        const asked = { taskId: parentId, children: [child.id] }
        if (lease?.alive === true) {
          // Its runner here has ended while it waited, but it is still ours.
          if (lease.ownerId !== history.me || record.status !== "delegated") return undefined
          const request = { _tag: "Collect", ...asked, attempt: record.attempt } as const
          yield* beginning.taking(parentId, journal.commit([{ _tag: "Lifecycle", request }]))
          return parentId
        }
        const collect = { _tag: "Lifecycle", request: { _tag: "CollectUnowned", ...asked } } as const
        // A parent that was stopped stays stopped; what its child brings is kept for when it goes on.
        const goesOn = record.status === "delegated"
        const resumed = { _tag: "Lifecycle", request: { _tag: "Resume", taskId: parentId } } as const
        if (goesOn) yield* beginning.taking(parentId, journal.commit([collect, resumed]))
        else if (record.status === "interrupted") yield* journal.commit([collect])
        return goesOn ? parentId : undefined
        // Whoever changed it meanwhile, here or elsewhere, collects what its child brings.
      }).pipe(Effect.catchTag("TransitionRejected", () => Effect.succeed(undefined)))
  })
