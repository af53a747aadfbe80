/**
 * Copies of records that could not be read, as they were found.
 *
 * Each damaged text of a task is kept once and never changed; the record itself stays where it is, so that it can be
 * looked at and repaired, and whoever waits for its task goes on waiting.
 */
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Quarantined } from "../../history/TaskHistory.ts"
import * as Dialect from "../database/dialect.ts"
import { damageOf, type RecordColumns } from "../records/rows.ts"
import type { Transaction } from "../writing/transaction.ts"

interface QuarantineColumns {
  readonly task_id: TaskId.TaskId
  readonly record: string
  readonly reason: string
  readonly found_at: number
}

const copyOf = (row: QuarantineColumns): Quarantined => ({
  taskId: row.task_id,
  record: row.record,
  reason: row.reason,
  foundAt: row.found_at
})

/** What is copied, and why. */
interface Damaged extends Pick<RecordColumns, "id" | "record"> {
  readonly reason: string
}

/** A record that cannot be read. */
export const unreadable = (row: RecordColumns): Damaged => ({ id: row.id, record: row.record, reason: damageOf(row) })

/** Copies what is not yet there; gives back what it has copied. */
export const keep = (
  tx: Transaction,
  damaged: ReadonlyArray<Damaged>
): Effect.Effect<ReadonlyArray<Quarantined>, SqlError> =>
  Effect.gen(function* () {
    const { sql } = tx
    const kept: Array<Quarantined> = []
    for (const { id, reason, record } of damaged) {
      const copied = yield* sql<QuarantineColumns>`INSERT INTO quarantine (task_id, record, reason, found_at)
        VALUES (${id}, ${record}, ${reason}, ${tx.now}) ON CONFLICT DO NOTHING RETURNING *`
      kept.push(...copied.map(copyOf))
    }
    return kept
  })

/** Every copy, oldest first. A file of version 1 that is only read has none. */
export const all = (sql: SqlClient.SqlClient): Effect.Effect<ReadonlyArray<Quarantined>, SqlError> =>
  Effect.gen(function* () {
    if (!(yield* Dialect.hasTable(sql, "quarantine"))) return []
    const rows = yield* sql<QuarantineColumns>`SELECT * FROM quarantine ORDER BY found_at, rowid`
    return rows.map(copyOf)
  })
