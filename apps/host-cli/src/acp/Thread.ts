/** A session is a thread: a task, what continues it, and so on. Its id is that of the first, and each id of it is known. */
import { type History, TaskHistory } from "@belay/history-store"
import { TaskId, TaskRecord } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** The tasks of a thread, in order. */
interface Thread {
  readonly first: History.TaskRow
  readonly last: History.TaskRow
  readonly all: ReadonlyArray<History.TaskRow>
}

const rowOf = (id: TaskId.TaskId) =>
  Effect.map(
    Effect.flatMap(TaskHistory, ({ row }) => row(id)),
    (found) => {
      const row = Option.getOrUndefined(found)
      return row === undefined || TaskRecord.isTombstone(row.record) ? undefined : row
    }
  )

/** What goes on from a task, to the end. */
const onwards = (row: History.TaskRow) =>
  Effect.gen(function* () {
    const { continuation } = yield* TaskHistory
    const found: Array<History.TaskRow> = []
    for (let at = row; ;) {
      const next = Option.getOrUndefined(yield* continuation(at.record.id))
      const after = next === undefined ? undefined : yield* rowOf(next)
      if (after === undefined) return found
      found.push(after)
      at = after
    }
  })

/** The task that a thread begins with; what was deleted of it is none of it. */
export const firstOf = (row: History.TaskRow) =>
  Effect.gen(function* () {
    const before: Array<History.TaskRow> = []
    for (let at = row; at.record.continuesTaskId !== undefined;) {
      const earlier = yield* rowOf(at.record.continuesTaskId)
      if (earlier === undefined) break
      before.unshift(earlier)
      at = earlier
    }
    return before
  })

/** The thread that a task belongs to; nothing for what is not there, was deleted, or is a subtask. */
export const of = (id: string) =>
  Effect.gen(function* () {
    const row = TaskId.isTaskId(id) ? yield* rowOf(id) : undefined
    if (row === undefined || row.record.lineage.parentId !== undefined) return undefined
    const all = [...(yield* firstOf(row)), row, ...(yield* onwards(row))]
    return { first: all[0] ?? row, last: all.at(-1) ?? row, all } satisfies Thread
  })
