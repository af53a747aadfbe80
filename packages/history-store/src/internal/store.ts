/** `TaskHistory` and `Inbox` over one SQLite connection. */
import type { TaskId } from "@belay/task-state"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import { Inbox, type Request } from "../Inbox.ts"
import { Owner } from "../Owner.ts"
import { TaskHistory } from "../TaskHistory.ts"
import * as Patience from "./patience.ts"
import * as Quarantine from "./quarantine.ts"
import * as Read from "./read.ts"
import * as Writer from "./writer.ts"

interface RequestColumns {
  readonly id: string
  readonly task_id: TaskId.TaskId
  readonly attempt: number
  readonly kind: Request["kind"]
  readonly requested_by: string
}

const requestOf = (row: RequestColumns): Request => ({
  id: row.id,
  taskId: row.task_id,
  attempt: row.attempt,
  kind: row.kind,
  by: row.requested_by
})

const makeInbox = (sql: SqlClient.SqlClient, me: string) => ({
  post: (request: Request) =>
    Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => sql`INSERT INTO inbox (id, task, attempt, kind, payload, requested_by, created_at)
        SELECT ${request.id}, key, ${request.attempt}, ${request.kind}, '{}', ${request.by}, ${now}
        FROM task WHERE id = ${request.taskId} ON CONFLICT (id) DO NOTHING`
    ),
  pending: Effect.map(
    sql<RequestColumns>`SELECT i.id, t.id AS task_id, i.attempt, i.kind, i.requested_by
      FROM inbox i JOIN lease l ON l.task = i.task AND l.attempt = i.attempt JOIN task t ON t.key = i.task
      WHERE i.applied_at IS NULL AND i.kind = 'interrupt' AND l.owner_id = ${me} ORDER BY i.created_at, i.rowid`,
    (rows) => rows.map(requestOf)
  )
})

interface Store {
  readonly history: TaskHistory["Service"]
  readonly inbox: Inbox["Service"]
}

export const make = (
  path: string,
  notice: string | null
): Effect.Effect<Store, never, SqlClient.SqlClient | Owner | Scope.Scope> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const owner = yield* Owner
    const writer = yield* Writer.make(path)
    const read = Read.make(sql, owner)
    const requests = makeInbox(sql, writer.me)
    const history = TaskHistory.of({
      ...writer,
      notice,
      row: (id) => Patience.reading(path, read.row(id)),
      list: (query) => Patience.reading(path, read.list(query)),
      children: (id) => Patience.reading(path, read.children(id)),
      find: (prefix, limit) => Patience.reading(path, read.find(prefix, limit)),
      messages: (id) => Patience.reading(path, read.messages(id)),
      calls: (id) => Patience.reading(path, read.calls(id)),
      asks: (id) => Patience.reading(path, read.asks(id)),
      checklist: (id) => Patience.reading(path, read.checklist(id)),
      events: (id, from, limit) => Patience.reading(path, read.events(id, from, limit)),
      treeUsage: (root) => Patience.reading(path, read.treeUsage(root)),
      quarantined: Patience.reading(path, Quarantine.all(sql)),
      version: Patience.reading(path, read.version)
    })
    const inbox = Inbox.of({
      post: (request) => Effect.asVoid(Patience.reading(path, requests.post(request))),
      pending: Patience.reading(path, requests.pending)
    })
    return { history, inbox }
  })
