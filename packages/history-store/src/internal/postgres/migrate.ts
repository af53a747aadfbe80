/** How a database gets the tables of the history, by a role that owns them and that no program runs as. */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { SqlError } from "effect/sql/SqlError"
import * as HistoryError from "../../history/HistoryError.ts"
import { encryptionOf, placeOf } from "./address.ts"
import { onTime } from "./client.ts"
import { newer } from "./guard.ts"
import { current, migrations } from "./migrations.ts"

/** Says where the tables are, and who may use them. */
export interface MigrateOptions {
  /** With the name and password of the role that owns the tables, or is to own them. */
  readonly url: Redacted.Redacted
  /** The roles that histories are opened as: they read and write rows, and change no table. */
  readonly roles: ReadonlyArray<string>
}

/** Whoever migrates waits for who does so already. */
const lock = "SELECT pg_advisory_xact_lock(hashtextextended('belay migrations', 3))"

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

const granted = (role: string): ReadonlyArray<string> => [
  `GRANT USAGE ON SCHEMA public TO ${role}`,
  `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`,
  `REVOKE INSERT, UPDATE, DELETE ON meta FROM ${role}`,
  `GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${role}`
]

const run = (connection: PgConnection.PgConnection, { roles, url }: MigrateOptions) =>
  Effect.gen(function* () {
    const ask = (text: string): Effect.Effect<ReadonlyArray<PgConnection.Row>, SqlError> =>
      Effect.map(connection.query(text, [], false), ({ rows }) => rows)
    yield* ask("BEGIN")
    yield* ask(lock)
    const [there] = yield* ask("SELECT to_regclass('meta') IS NOT NULL AS there")
    const [meta] = there?.["there"] === true ? yield* ask("SELECT version FROM meta") : []
    const from = Number(meta?.["version"] ?? 0)
    if (from > current) return yield* newer(placeOf(url), from)
    for (const statement of migrations.slice(from).flat()) yield* ask(statement)
    yield* ask(`UPDATE meta SET version = ${current}`)
    for (const role of roles) for (const statement of granted(quoted(role))) yield* ask(statement)
    yield* ask("COMMIT")
    return current
  })

/** Brings the tables up to date in one transaction, and lets the roles use them; gives the version that they have then. */
export const migrate = (options: MigrateOptions): Effect.Effect<number, HistoryError.HistoryError> =>
  Effect.scoped(
    Effect.flatMap(
      PgConnection.make({ url: options.url, ...encryptionOf(options.url), applicationName: "belay" }),
      (connection) => run(connection, options)
    )
  ).pipe(
    onTime,
    Effect.mapError((cause) => HistoryError.fromCause(placeOf(options.url), cause))
  )
