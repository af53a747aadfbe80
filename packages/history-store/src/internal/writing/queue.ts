/** The queue of tasks that a runner is to run. */
import { Command, type TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { QueuedTask } from "../../history/QueuedTask.ts"
import * as Dialect from "../database/dialect.ts"
import { head, type Transaction } from "./transaction.ts"

interface Columns {
  readonly id: TaskId.TaskId
  readonly scope: string
  readonly waits: number
  readonly tries: number
  readonly last_seq: number
}

const of = ({ last_seq: lastSeq, waits, ...row }: Columns): QueuedTask => ({ ...row, lastSeq, waits: waits === 1 })

/** One that is queued again keeps its scope. */
export const add = (tx: Transaction, taskId: TaskId.TaskId, scope: string) =>
  Effect.gen(function* () {
    const task = yield* head(tx, taskId)
    if (task === undefined) return yield* Command.rejected(taskId, "Queue", "absent", "NotFound")
    return yield* tx.sql`INSERT INTO task_queue (task, scope, waits, tries) VALUES (${task.key}, ${scope}, 1, 0)
      ON CONFLICT (task) DO UPDATE SET waits = 1, tries = 0`
  })

export const tried = ({ sql }: Transaction, taskId: TaskId.TaskId): Effect.Effect<unknown, SqlError> =>
  sql`UPDATE task_queue SET tries = tries + 1 WHERE task = (SELECT key FROM task WHERE id = ${taskId})`

export const remove = ({ sql }: Transaction, taskId: TaskId.TaskId): Effect.Effect<unknown, SqlError> =>
  sql`UPDATE task_queue SET waits = 0 WHERE task = (SELECT key FROM task WHERE id = ${taskId})`

/** The file of an older version that is only read has no queue. */
const isThere = (sql: SqlClient.SqlClient): Effect.Effect<boolean, SqlError> => Dialect.hasTable(sql, "task_queue")

/** Those that wait, the oldest first. */
export const waiting = (sql: SqlClient.SqlClient): Effect.Effect<ReadonlyArray<QueuedTask>, SqlError> =>
  Effect.gen(function* () {
    if (!(yield* isThere(sql))) return []
    const rows = yield* sql<Columns>`SELECT t.id, q.scope, q.waits, q.tries, m.last_seq FROM task_queue q
      JOIN task t ON t.key = q.task JOIN task_metric m ON m.task = q.task WHERE q.waits = 1 ORDER BY q.task`
    return rows.map(of)
  })

export const find = (sql: SqlClient.SqlClient, id: TaskId.TaskId): Effect.Effect<Option.Option<QueuedTask>, SqlError> =>
  Effect.gen(function* () {
    if (!(yield* isThere(sql))) return Option.none()
    const [row] = yield* sql<Columns>`SELECT t.id, q.scope, q.waits, q.tries, m.last_seq FROM task_queue q
      JOIN task t ON t.key = q.task JOIN task_metric m ON m.task = q.task WHERE t.id = ${id}`
    return row === undefined ? Option.none() : Option.some(of(row))
  })
