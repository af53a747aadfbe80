/**
 * What was written on a server, without clocks: a version is a transaction that is older than all that were open then, so
 * a commit that ends late is told as well.
 */
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { Wake } from "./wake.ts"
import { type ChangeColumns, changeOf, type Feed } from "../reading/changes.ts"

/** So many commits may end in another order than they began in. */
const late = 256

/** Changes with each commit, also with one that ends after a later one. */
const version = `SELECT coalesce(max(n), 0) * ${late} + count(*) AS version FROM committed
  WHERE n > (SELECT max(n) FROM committed) - ${late}`

const changed = `SELECT t.id, t.parent_id, t.root_id, m.last_seq, t.record_deleted_at IS NULL AS kept
  FROM task_metric m JOIN task t ON t.key = m.task WHERE m.xact >= ? ORDER BY m.updated_at, m.task`

/** The version as the tables have it. */
export const exact = (sql: SqlClient.SqlClient) =>
  Effect.map(sql.unsafe<{ version: number }>(version), (rows) => rows[0]?.version ?? 0)

export const make = (sql: SqlClient.SqlClient, wake: Wake): Feed => ({
  version: wake.version,
  since: (from) =>
    Effect.gen(function* () {
      // Looked at first: what ends between the two is told now and once more.
      const [now] = yield* sql.unsafe<{ version: number }>(
        "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS version"
      )
      const upTo = now?.version ?? 0
      // A version of another server, or of this one before it was restored.
      const rows = yield* sql.unsafe<ChangeColumns & { readonly id: TaskId.TaskId }>(changed, [from > upTo ? 0 : from])
      return { version: upTo, tasks: rows.map(changeOf) }
    })
})
