/** The deleted tasks that can be taken back, found by an index that holds no others. */
import { TaskRecord, type TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { type DeletedTask, keptMs } from "../../history/DeletedTask.ts"
import { readableRecord, type RecordColumns } from "../records/rows.ts"
import * as Dialect from "../database/dialect.ts"
import type { Statements } from "../database/statements.ts"

/** So many at a time: who starts is not held up by what was deleted long ago. */
const slice = 50

/** Those whose time is over, the oldest first. */
export const expired = (
  sql: SqlClient.SqlClient | Statements,
  now: number
): Effect.Effect<ReadonlyArray<TaskId.TaskId>, SqlError> =>
  Effect.map(
    sql<{ readonly id: TaskId.TaskId }>`SELECT id FROM task WHERE deleted_at <= ${now - keptMs}
      ORDER BY deleted_at LIMIT ${slice}`,
    (rows) => rows.map(({ id }) => id)
  )

interface Columns extends RecordColumns {
  readonly title: string
  readonly workspace: string
  readonly deleted_at: number
}

/** One entry a deletion, the newest first. */
export const all = (sql: SqlClient.SqlClient): Effect.Effect<ReadonlyArray<DeletedTask>, SqlError> =>
  Effect.gen(function* () {
    if (!(yield* Dialect.hasColumn(sql, "task", "deleted_at"))) return []
    const rows = yield* sql<Columns>`SELECT key, id, record, title, workspace, deleted_at FROM task
      WHERE deleted_at IS NOT NULL ORDER BY deleted_at DESC, key DESC`
    const together = new Map<string, number>()
    const found = rows.flatMap((row) => {
      const by = TaskRecord.keptOf(readableRecord(row))?.with
      if (by !== undefined && by !== row.id) together.set(by, (together.get(by) ?? 0) + 1)
      return by === row.id ? [row] : []
    })
    return found.map(({ deleted_at, id, title, workspace }) => ({
      id,
      title,
      workspace,
      deletedAt: deleted_at,
      subtasks: together.get(id) ?? 0
    }))
  })
