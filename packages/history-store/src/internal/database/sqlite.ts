/**
 * An `SqlClient` over `node:sqlite`.
 *
 * One connection; statements wait for a running transaction, transactions are `BEGIN IMMEDIATE`, statements are prepared
 * once. SQLite itself waits at most 50 ms for a lock, so the event loop is never blocked longer; callers retry.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as SqlClient from "effect/sql/SqlClient"
import type * as SqlConnection from "effect/sql/SqlConnection"
import * as SqlError from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import * as HistoryError from "../../history/HistoryError.ts"
import * as Patience from "./retry.ts"

export interface Options {
  /** A path, or ":memory:". */
  readonly filename: string
  readonly readOnly: boolean
  /** Grow no further than this many pages; for tests of a full disk. */
  readonly maxPages?: number
}

/** Reported as `errcode` by node:sqlite, read as `errno` by the classifier. */
const withErrno = (cause: unknown): unknown =>
  typeof cause === "object" && cause !== null && "errcode" in cause
    ? Object.assign(cause, { errno: cause.errcode })
    : cause

const sqlError = (cause: unknown) =>
  new SqlError.SqlError({
    reason: SqlError.classifySqliteError(withErrno(cause), {
      message: "Failed to execute statement",
      operation: "execute"
    })
  })

/** macOS answers a plain sync before the disk has written: https://www.sqlite.org/pragma.html#pragma_fullfsync */
const wholeSync = "PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;"

/**
 * 4 KiB pages, because a turn (two commits) writes the fewest bytes with them: 62 kB of WAL, 114 kB with 8 KiB, 219 kB
 * with 16 KiB, measured over 300 turns of one call each; the database grows by 0.85 kB a turn beyond its content.
 */
const pragmas = (options: Options): string => {
  const shared = "PRAGMA busy_timeout = 50; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;"
  if (options.readOnly) return shared
  const limit = options.maxPages === undefined ? "" : `PRAGMA max_page_count = ${options.maxPages};`
  const durable = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 1000;"
  return `${shared} PRAGMA page_size = 4096; ${durable} ${wholeSync} ${limit}`
}

const open = (options: Options) =>
  Effect.acquireRelease(
    Patience.waiting(
      Effect.try({
        try: () => {
          const db = new DatabaseSync(options.filename, { readOnly: options.readOnly })
          try {
            db.exec(pragmas(options))
          } catch (cause) {
            db.close()
            throw cause
          }
          return db
        },
        catch: (cause) => HistoryError.fromCause(options.filename, cause)
      })
    ),
    (db) => Effect.sync(() => db.close())
  )

const connectionOf = (db: DatabaseSync): SqlConnection.Connection => {
  const prepared = new Map<string, StatementSync>()
  const statement = (sql: string): StatementSync => {
    const known = prepared.get(sql)
    if (known !== undefined) return known
    const fresh = db.prepare(sql)
    prepared.set(sql, fresh)
    return fresh
  }
  const rows = (sql: string, params: ReadonlyArray<unknown>) =>
    Effect.try({
      try: (): ReadonlyArray<any> => statement(sql).all(...(params as ReadonlyArray<SQLInputValue>)),
      catch: sqlError
    })
  const values = (sql: string, params: ReadonlyArray<unknown>) =>
    Effect.map(rows(sql, params), (found) => found.map((row) => Object.values(row as object)))
  const execute: SqlConnection.Connection["execute"] = (sql, params, transform) =>
    transform === undefined ? rows(sql, params) : Effect.map(rows(sql, params), transform)
  // `run` also gives the key of the last row, and Node 26 refuses one that no number is exact for.
  const unprepared = (sql: string) => Effect.try({ try: () => statement(sql).all(), catch: sqlError })
  return {
    execute,
    executeRaw: rows,
    executeValues: values,
    executeValuesUnprepared: values,
    executeUnprepared: (sql, params, transform) =>
      params.length === 0 ? Effect.as(unprepared(sql), []) : execute(sql, params, transform),
    executeStream: (sql, params, transform) =>
      Stream.unwrap(Effect.map(execute(sql, params, transform), Stream.fromIterable))
  }
}

/** The client, with its connection open as long as the scope. Errors: `HistoryError` when the file cannot be opened. */
export const layer = (options: Options): Layer.Layer<SqlClient.SqlClient, HistoryError.HistoryError> =>
  Layer.effect(
    SqlClient.SqlClient,
    Effect.gen(function* () {
      const db = yield* open(options)
      const connection = connectionOf(db)
      const semaphore = yield* Semaphore.make(1)
      const acquirers = SqlClient.makeSqliteAcquirers({
        connection: Effect.succeed(connection),
        semaphore,
        isTransaction: () => db.isTransaction
      })
      return yield* SqlClient.make({
        driver: "node:sqlite",
        ...acquirers,
        compiler: Statement.makeCompilerSqlite(),
        beginTransaction: "BEGIN IMMEDIATE",
        spanAttributes: []
      })
    })
  ).pipe(Layer.provide(Reactivity.layer))
