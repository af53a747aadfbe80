/**
 * An `SqlClient` over a pool of connections to Postgres, which takes the statements of the history as they are: places
 * are `?`, whole numbers are numbers, and what is true is 1.
 *
 * Every session names one project, so whoever asks for another one's rows gets none. A transaction has a name, in a row of
 * `committed` that it begins with: when the connection is lost while it commits, that row says afterwards whether it did.
 */
import * as PgPool from "@effect/sql-pg/PgPool"
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as SqlClient from "effect/sql/SqlClient"
import type * as SqlConnection from "effect/sql/SqlConnection"
import * as SqlError from "effect/sql/SqlError"
import { randomUUID } from "node:crypto"
import { HistoryError } from "../../history/HistoryError.ts"
import { encryptionOf, placeOf } from "./address.ts"
import { storable } from "../database/dialect.ts"
import { isLost } from "../database/retry.ts"

/** Where the server is, and whom a session speaks for. */
export interface Session {
  /** With the name and password of a role that neither owns the tables nor passes over their policies. */
  readonly url: Redacted.Redacted
  readonly project: string
  /** The person or service that this process works for, as the history names it. */
  readonly principal: string
  /** ms: how long an owner counts as alive after it was seen. */
  readonly ttl: number
}

/** The types in which the history counts. */
const typesOf = (): PgTypes.Registry => {
  const types = PgTypes.makeRegistry()
  const whole = (value: number | bigint) => (typeof value === "bigint" ? value : BigInt(value))
  const { bool, int8, numeric } = PgTypes.OID
  types.register<number>(int8, {
    encode: (value) => PgTypes.encode(whole(value), int8),
    decode: (bytes) => Result.map(PgTypes.decode(bytes, int8, 1), Number)
  })
  types.register<number>(numeric, {
    encode: (value) => PgTypes.encode(String(value), numeric),
    decode: (bytes) => Result.map(PgTypes.decode(bytes, numeric, 1), Number)
  })
  types.register<number>(bool, {
    encode: (value) => PgTypes.encode(value === 1, bool),
    decode: (bytes) => Result.succeed(bytes[0] ?? 0)
  })
  return types
}

/** Timers of the pool and of sockets are those of the machine, whatever clock the caller counts with. */
export const onTime = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())

/** Texts with their places numbered, each once. No text of the history has a question mark but its places. */
const numbering = () => {
  const known = new Map<string, string>()
  return (text: string): string => {
    const before = known.get(text)
    if (before !== undefined) return before
    let place = 0
    const made = text.replaceAll("?", () => `$${++place}`)
    known.set(text, made)
    return made
  }
}

type Numbered = ReturnType<typeof numbering>

type Rows = Effect.Effect<ReadonlyArray<any>, SqlError.SqlError>

const connectionOf = (numbered: Numbered, connection: PgConnection.PgConnection): SqlConnection.Connection => {
  const rows = (sql: string, params: ReadonlyArray<unknown>): Rows =>
    onTime(Effect.map(connection.query(numbered(sql), params.map(storable)), (result) => result.rows))
  const values = (sql: string, params: ReadonlyArray<unknown>) =>
    Effect.map(rows(sql, params), (found) => found.map((row) => Object.values(row as object)))
  const execute: SqlConnection.Connection["execute"] = (sql, params, transform) =>
    transform === undefined ? rows(sql, params) : Effect.map(rows(sql, params), transform)
  return {
    execute,
    executeRaw: rows,
    executeValues: values,
    executeValuesUnprepared: values,
    executeUnprepared: execute,
    executeStream: (sql, params, transform) =>
      Stream.unwrap(Effect.map(execute(sql, params, transform), Stream.fromIterable))
  }
}

/** Connections that this process has to the server at most, besides those that tell that it lives and listen. */
const connections = 8

export const configOf = ({ principal, project, ttl, url }: Session): PgConnection.Config => ({
  url,
  ...encryptionOf(url),
  types: typesOf(),
  applicationName: "belay",
  connectTimeout: "10 seconds",
  startupParameters: {
    "belay.project": project,
    "belay.principal": principal,
    "belay.ttl": `${ttl} milliseconds`,
    // A process that is frozen inside of a commit holds its tree.
    idle_in_transaction_session_timeout: `${ttl}`
  }
})

export const poolOf = (session: Session, maxConnections: number) =>
  onTime(PgPool.make({ ...configOf(session), maxConnections }))

interface Server {
  readonly place: string
  readonly pool: PgPool.PgPool
  readonly numbered: Numbered
}

/** How long a process asks after the end of a commit, and how often. */
const asking = "30 seconds"
const often = Schedule.spaced("100 millis")

/**
 * Whether a commit was made whose connection was lost: its row is put in once more, which waits for the transaction as
 * long as it is still open there, and then finds the row or is the first. None when the server cannot be asked.
 */
const isMade = ({ numbered, pool }: Server, id: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const connection = connectionOf(numbered, yield* pool.get)
      const rows = yield* connection.execute(question, [id], undefined)
      return rows.length === 0
    })
  ).pipe(Effect.retry({ schedule: often, while: isLost }), Effect.timeoutOption(asking), onTime)

const question = "INSERT INTO committed (id) VALUES (?::text::uuid) ON CONFLICT (id) DO NOTHING RETURNING id"

const failed = (message: string, cause: unknown) =>
  new SqlError.SqlError({ reason: new SqlError.UnknownError({ cause, message, operation: "commit" }) })

/** The connection of one transaction, which has a name. */
interface Taken extends SqlConnection.Connection {
  readonly id: string
  readonly commit: Effect.Effect<void, SqlError.SqlError>
}

/** The name of the transaction that is open. */
export const nameOf = (open: Option.Option<readonly [SqlConnection.Connection, number]>): string =>
  Option.match(open, { onNone: () => "", onSome: ([connection]) => (connection as Taken).id })

const takenOf = (server: Server, connection: PgConnection.PgConnection): Taken => {
  const id = randomUUID()
  const plain = connectionOf(server.numbered, connection)
  const sent = onTime(connection.query("COMMIT", [], false))
  return {
    ...plain,
    id,
    // A connection that is lost has rolled back what was open on it.
    executeUnprepared: (sql, params, transform) => {
      const run = plain.execute(sql, params, transform)
      return sql === "ROLLBACK" ? Effect.orElseSucceed(run, () => []) : run
    },
    commit: Effect.matchEffect(sent, {
      onSuccess: ({ command }) =>
        command === "ROLLBACK" ? Effect.fail(failed("it was rolled back", undefined)) : Effect.void,
      onFailure: (error) =>
        isLost(error)
          ? Effect.flatMap(
              isMade(server, id),
              Option.match({
                onNone: () => Effect.fail(failed("nobody answers", unknown(server.place))),
                onSome: (made) => (made ? Effect.void : Effect.fail(error))
              })
            )
          : Effect.fail(error)
    })
  }
}

const unknown = (path: string) =>
  new HistoryError({ reason: "unknown", path, detail: "the connection was lost while it was stored" })

/** The client and its pool, open as long as the scope. */
export const make = (session: Session) =>
  Effect.gen(function* () {
    const pool = yield* poolOf(session, connections)
    const numbered = numbering()
    const server: Server = { place: placeOf(session.url), pool, numbered }
    const sql = yield* SqlClient.make({
      driver: "postgres",
      acquirer: onTime(Effect.map(pool.get, (connection) => connectionOf(numbered, connection))),
      transactionAcquirer: onTime(Effect.map(pool.reserve, (connection) => takenOf(server, connection))),
      compiler: PgClient.makeCompiler(),
      commit: (connection) => (connection as Taken).commit,
      spanAttributes: []
    })
    return sql
  }).pipe(Effect.provideServiceEffect(Reactivity.Reactivity, Reactivity.make))
