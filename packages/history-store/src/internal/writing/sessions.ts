/** Reserved sessions: what a client chooses before its first prompt. */
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Mode } from "../../history/Event.ts"
import { keptMs, type ReservedSession } from "../../history/ReservedSession.ts"
import * as Dialect from "../database/dialect.ts"
import type { Transaction } from "./transaction.ts"

interface Columns {
  readonly id: TaskId.TaskId
  readonly workspace: string
  readonly mode: Mode
  readonly model: string | null
  readonly approvals: string | null
}

/** Those whose time is over go with the next one. */
export const reserve = ({ now, sql }: Transaction, session: ReservedSession): Effect.Effect<unknown, SqlError> =>
  Effect.gen(function* () {
    const { approvals = null, id, mode, model = null, workspace } = session
    yield* sql`DELETE FROM reserved_session WHERE created_at <= ${now - keptMs}`
    const known = yield* sql`UPDATE reserved_session SET mode = ${mode}, model = ${model}, approvals = ${approvals}
      WHERE id = ${id} RETURNING id`
    if (known.length > 0) return
    yield* sql`INSERT INTO reserved_session (id, workspace, mode, model, approvals, created_at)
      VALUES (${id}, ${workspace}, ${mode}, ${model}, ${approvals}, ${now})`
  })

export const forget = ({ sql }: Transaction, id: TaskId.TaskId): Effect.Effect<unknown, SqlError> =>
  sql`DELETE FROM reserved_session WHERE id = ${id}`

/** One that is still kept; the file of an older version that is only read has none. */
export const find = (
  sql: SqlClient.SqlClient,
  id: TaskId.TaskId,
  now: number
): Effect.Effect<Option.Option<ReservedSession>, SqlError> =>
  Effect.gen(function* () {
    if (!(yield* Dialect.hasTable(sql, "reserved_session"))) return Option.none()
    const [row] = yield* sql<Columns>`SELECT id, workspace, mode, model, approvals FROM reserved_session
      WHERE id = ${id} AND created_at > ${now - keptMs}`
    if (row === undefined) return Option.none()
    const { approvals, model, ...session } = row
    return Option.some({
      ...session,
      ...(model === null ? {} : { model }),
      ...(approvals === null ? {} : { approvals })
    })
  })
