/** The inbox as a table: what is asked stands in the payload, and `Say` queues its messages in the same rows. */
import type { TaskId } from "@belay/task-state"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Request, RequestBody } from "../Inbox.ts"
import { parse } from "./rows.ts"

interface RequestColumns {
  readonly id: string
  readonly task_id: TaskId.TaskId
  readonly attempt: number
  readonly kind: Request["kind"]
  readonly payload: string
  readonly requested_by: string
}

const requestOf = (row: RequestColumns): Request => {
  const payload = parse(row.payload, `the request ${row.id}`) as object
  const body = { ...payload, kind: row.kind } as RequestBody
  return { ...body, id: row.id, taskId: row.task_id, attempt: row.attempt, by: row.requested_by }
}

const payloadOf = ({ attempt: _attempt, by: _by, id: _id, kind: _kind, taskId: _taskId, ...payload }: Request) =>
  JSON.stringify(payload)

/** The requests of one database; `me` owns the leases whose requests are pending. */
export const make = (sql: SqlClient.SqlClient, me: string) => ({
  post: (request: Request): Effect.Effect<unknown, SqlError> =>
    Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => sql`INSERT INTO inbox (id, task, attempt, kind, payload, requested_by, created_at)
        SELECT ${request.id}, key, ${request.attempt}, ${request.kind}, ${payloadOf(request)}, ${request.by}, ${now}
        FROM task WHERE id = ${request.taskId} ON CONFLICT (id) DO NOTHING`
    ),
  pending: Effect.map(
    sql<RequestColumns>`SELECT i.id, t.id AS task_id, i.attempt, i.kind, i.payload, i.requested_by
      FROM inbox i JOIN lease l ON l.task = i.task JOIN task t ON t.key = i.task
      WHERE i.applied_at IS NULL AND (i.attempt = l.attempt OR i.kind = 'message') AND l.owner_id = ${me}
      ORDER BY i.created_at, i.rowid`,
    (rows) => rows.map(requestOf)
  ),
  applied: (id: string): Effect.Effect<boolean, SqlError> =>
    Effect.map(sql`SELECT id FROM inbox WHERE id = ${id} AND applied_at IS NOT NULL`, (rows) => rows.length > 0)
})
