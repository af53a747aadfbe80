/**
 * Which tasks changed: for views that refresh what changed and nothing else, however many tasks there are.
 *
 * A version is a moment of this machine's clock. Commits are told for a while after they were made, so that one which
 * waited for a lock is not missed; a clock that was set back makes everything count as changed.
 */
import type { TaskId } from "@belay/task-state"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Changes } from "../../history/TaskHistory.ts"
import * as Dialect from "../database/dialect.ts"
import { isKept } from "../writing/tombstone.ts"

/** ms: as long as a commit may wait for others. */
const overlap = 30_000

export interface ChangeColumns {
  readonly id: TaskId.TaskId
  readonly parent_id: TaskId.TaskId | null
  readonly root_id: TaskId.TaskId
  readonly last_seq: number
  readonly kept: number
}

/** What was written, for those who follow it. */
export interface Feed {
  /** Another one whenever another connection has written. */
  readonly version: Effect.Effect<number, SqlError>
  readonly since: (version: number) => Effect.Effect<Changes, SqlError>
}

/** As a change is told. */
export const changeOf = (row: ChangeColumns): Changes["tasks"][number] => ({
  id: row.id,
  parentId: row.parent_id,
  rootId: row.root_id,
  lastSeq: row.last_seq,
  deleted: row.kept === 0
})

const since = (sql: SqlClient.SqlClient, version: number): Effect.Effect<Changes, SqlError> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const from = version > now ? 0 : version - overlap
    // What is taken over from another program keeps the times it had there.
    const hasImported = yield* Dialect.hasTable(sql, "imported")
    const imported = hasImported
      ? sql` UNION ALL SELECT t.key FROM imported i JOIN task t ON t.id = i.task_id WHERE i.imported_at >= ${from}`
      : sql.literal("")
    // A new title keeps a task's place in lists, so its time is found by its event. Each of these has an index of its own.
    const rows = yield* sql<ChangeColumns>`
      SELECT t.id, t.parent_id, t.root_id, m.last_seq, ${sql.literal(isKept(Dialect.of(sql), "t.record"))} AS kept
      FROM task t ${sql.literal(Dialect.of(sql).thenJoin)} task_metric m ON m.task = t.key
      WHERE t.key IN (SELECT task FROM task_metric WHERE updated_at >= ${from}
        UNION ALL SELECT task FROM task_event WHERE type = 'task.renamed' AND ts >= ${from}${imported})
      ORDER BY m.updated_at, m.task`
    return { version: now, tasks: rows.map(changeOf) }
  })

/** Of one file. */
export const inFile = (sql: SqlClient.SqlClient): Feed => ({
  version: Effect.map(sql<{ data_version: number }>`PRAGMA data_version`, (rows) => rows[0]?.data_version ?? 0),
  since: (version) => since(sql, version)
})
