/**
 * The history of a project on a server.
 *
 * One transaction at a time writes a tree; who lives is told by the clock of the server; what a commit became is known
 * also when the connection was lost. A role that passes over the policies of rows is refused, and so is a connection
 * through a pooler that does not keep what a session says.
 */
import type { Reconciler, TaskStateMachine } from "@belay/task-state"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import * as HistoryError from "../../history/HistoryError.ts"
import { Inbox } from "../../history/Inbox.ts"
import { TaskHistory } from "../../history/TaskHistory.ts"
import { Ownership } from "../../ownership/Ownership.ts"
import { newOwnerId } from "../process/identity.ts"
import { identity } from "../process/ownerLock.ts"
import { make } from "../store/store.ts"
import { placeOf } from "./address.ts"
import * as Client from "./client.ts"
import * as Feed from "./feed.ts"
import * as Guard from "./guard.ts"
import * as Judge from "./judge.ts"
import * as Owner from "./ownership.ts"
import { current } from "./migrations.ts"
import * as Wake from "./wake.ts"

/** Says which history, and who opens it. */
export interface PostgresOptions {
  /** `postgres://role:password@host:port/database`, of a role that `migrate` was told. */
  readonly url: Redacted.Redacted
  /** Whose tasks: no other project's are seen or written. */
  readonly project: string
  /** The person or service that this process works for. */
  readonly principal: string
  /** What this process is, such as "worker". */
  readonly kind: string
  /** ms after which a process that is not seen counts as dead, 4000 by default; it is seen four times in that. */
  readonly ttl?: number
}

const defaultTtl = 4000

interface Facts {
  readonly passes: number
  readonly kept: number
  readonly there: number
}

/** What has to be so before anything is read. */
const facts = (project: string) => ({
  text: `SELECT r.rolsuper OR r.rolbypassrls OR EXISTS (SELECT 1 FROM pg_class c
      WHERE c.oid = to_regclass('task') AND pg_has_role(c.relowner, 'USAGE')) AS passes,
    current_setting('belay.project', true) IS NOT DISTINCT FROM ? AS kept, to_regclass('meta') IS NOT NULL AS there
    FROM pg_roles r WHERE r.rolname = current_user`,
  values: [project]
})

const check = (sql: SqlClient.SqlClient, path: string, project: string) =>
  Effect.gen(function* () {
    const { text, values } = facts(project)
    const [found] = yield* sql.unsafe<Facts>(text, values)
    const refuse = (reason: "unauthorized" | "older", detail: string) =>
      new HistoryError.HistoryError({ reason, path, detail })
    if (found?.kept !== 1) return yield* refuse("unauthorized", "a pooler in between drops what a session says")
    if (found.passes === 1) return yield* refuse("unauthorized", "this role owns the tables or sees all rows")
    const [meta] =
      found.there === 1 ? yield* sql.unsafe<{ version: number; oldest_writer: number }>("SELECT * FROM meta") : []
    if (meta === undefined || meta.version < current) {
      return yield* refuse("older", `its tables are of version ${meta?.version ?? 0}, this one needs ${current}`)
    }
    if (meta.oldest_writer > current) return yield* Guard.newer(path, meta.version)
  })

/**
 * The history of a project on a server, for a process that runs tasks. Decided and repaired as that of `layerSqlite` is;
 * `Ownership` is its own, since the server says who lives. Errors: `HistoryError` when it cannot be opened.
 */
export const layerPostgres = (
  options: PostgresOptions
): Layer.Layer<TaskHistory | Inbox | Ownership, HistoryError.HistoryError, TaskStateMachine | Reconciler> => {
  const { kind, principal, project, ttl = defaultTtl, url } = options
  const path = placeOf(url)
  return Layer.effectContext(
    Effect.gen(function* () {
      const failing = Effect.mapError((cause: unknown) => HistoryError.fromCause(path, cause))
      const session = { url, project, principal, ttl }
      const sql = yield* failing(Client.make(session))
      yield* failing(check(sql, path, project))
      const beats = yield* failing(Client.poolOf(session, 1))
      const row = identity(yield* newOwnerId, kind)
      const ownership = Owner.make({ path, row, sql, beats, every: ttl / 4 })
      yield* ownership.hold
      const wake = yield* Wake.make({ session, pool: beats, exact: Feed.exact(sql) })
      const guard = Guard.make(sql, path, wake.tell)
      const base = { path, guard, judge: Judge.make(row.ownerId), feed: Feed.make(sql, wake) }
      const { history, inbox } = yield* make(base, { readOnly: false, unwritable: undefined }).pipe(
        Effect.provideService(SqlClient.SqlClient, sql),
        Effect.provideService(Ownership, ownership)
      )
      return Context.make(TaskHistory, history).pipe(Context.add(Inbox, inbox), Context.add(Ownership, ownership))
    })
  )
}
