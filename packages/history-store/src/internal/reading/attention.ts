/** What waits for a person, of the whole history: only open asks are looked at, and an index is counted. */
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Attention, AttentionAsk } from "../../history/Attention.ts"
import * as Dialect from "../database/dialect.ts"
import { isKept } from "../writing/tombstone.ts"

/** More than a file of 4 KB has room for. */
const most = 32

interface Counts {
  readonly tasks: number
  readonly asks: number
  readonly interrupted: number
}

// Written out, not bound: that is how the index of open tasks is found.
const open = "t.status <> 'completed'"

export const read = (sql: SqlClient.SqlClient): Effect.Effect<Attention, SqlError> =>
  Effect.gen(function* () {
    const dialect = Dialect.of(sql)
    // From the few that are open to their tasks, whatever the planner takes for fewer. The end of a turn asks nothing.
    const asked = `ask a ${dialect.thenJoin} task t ON t.key = a.task
      WHERE ${open} AND a.open = 1 AND a.kind <> 'completion' AND ${isKept(dialect, "t.record")}`
    const counts = yield* sql.unsafe<Counts>(`SELECT
      (SELECT count(DISTINCT t.key) FROM ${asked}) AS tasks,
      (SELECT count(*) FROM ${asked}) AS asks,
      (SELECT count(*) FROM task WHERE status = 'interrupted' AND ${isKept(dialect, "record")}) AS interrupted`)
    const oldest = yield* sql.unsafe<Omit<AttentionAsk, "taskId"> & { readonly task_id: AttentionAsk["taskId"] }>(
      `SELECT t.id AS task_id, t.title, a.kind FROM ${asked} ORDER BY a.rowid LIMIT ${most}`
    )
    return {
      tasks: 0,
      asks: 0,
      interrupted: 0,
      ...counts[0],
      oldest: oldest.map(({ kind, task_id, title }) => ({ taskId: task_id, title, kind }))
    }
  })
