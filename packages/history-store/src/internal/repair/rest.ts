/**
 * What reconciliation has looked at and need not look at again: a mark on the row of a task, which a trigger of the
 * database takes away when the record changes or that of a child, whoever changes it.
 */
import { Reconcile, TaskRecord, type TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import { readableRecord, type RecordColumns } from "../records/rows.ts"
import * as Dialect from "../database/dialect.ts"
import type { Transaction } from "../writing/transaction.ts"

export interface OpenColumns extends RecordColumns {
  readonly message_count: number
}

/** Rows that are gone without a trace of SQL leave whoever belonged to them, who is found without being read. */
const leftIn = ({
  awaited,
  isReadable
}: Dialect.Dialect) => `SELECT key FROM task t WHERE t.status <> 'completed' AND t.reconciled <> 0 AND t.parent_id IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM task p WHERE p.id = t.parent_id)
  UNION ALL SELECT key FROM task t WHERE t.status <> 'completed' AND t.reconciled = 2
    AND (NOT ${isReadable("t.record")} OR EXISTS (SELECT 1 FROM ${awaited}
      WHERE NOT EXISTS (SELECT 1 FROM task c WHERE c.id = a.key)))`

/** The open tasks of which it is not known that they need no repair. */
export const unknown = ({ sql }: Transaction): Effect.Effect<ReadonlyArray<OpenColumns>, SqlError> =>
  sql.unsafe<OpenColumns>(`SELECT t.key, t.id, t.record, m.message_count
    FROM task t ${Dialect.of(sql).thenJoin} task_metric m ON m.task = t.key
    WHERE t.key IN (SELECT key FROM task WHERE status <> 'completed' AND reconciled = 0 UNION ALL ${leftIn(Dialect.of(sql))})`)

/** Marks those of these that are at rest and in which nothing was found to repair. */
export const keep = (
  { sql }: Transaction,
  rows: ReadonlyArray<RecordColumns>,
  facts: Reconcile.Facts,
  found: ReadonlySet<TaskId.TaskId>
): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const marks = rows.flatMap((row): ReadonlyArray<readonly [key: number, mark: 1 | 2]> => {
      const record = readableRecord(row)
      if (record === undefined || found.has(row.id) || !Reconcile.isAtRest(record, facts)) return []
      return [[row.key, TaskRecord.awaitedIds(record).length === 0 ? 1 : 2]]
    })
    if (marks.length === 0) return
    yield* sql.unsafe(
      `UPDATE task SET reconciled = CAST(m.value ->> 1 AS BIGINT) FROM ${Dialect.of(sql).lists("m")}
        WHERE task.key = CAST(m.value ->> 0 AS BIGINT)`,
      [JSON.stringify(marks)]
    )
  })
