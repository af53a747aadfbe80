/**
 * How an older file becomes a current one.
 *
 * `PRAGMA user_version` says which migrations a file has; a current file costs one statement to check. `meta` says which
 * version is the lowest that can still read the file: a migration that takes away or changes what older readers look at
 * raises `oldest_reader`, one that only adds leaves it. A file of a newer version is never written to.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as HistoryError from "../../history/HistoryError.ts"
import { migrations, oneSpelling } from "./migrations.ts"
import * as Spellings from "./spellings.ts"

export const current = migrations.length

/** Marks the file as a history, in ASCII "BLAY": the database of another program is never written to. */
export const applicationId = 0x42_4c_41_59

export const newer = (path: string, version: number) =>
  new HistoryError.HistoryError({
    reason: "newer",
    path,
    detail: `version ${version}, this one knows ${current}`
  })

/** The version of an open file, at this moment. */
export const versionOf = (sql: SqlClient.SqlClient) =>
  Effect.map(sql<{ user_version: number }>`PRAGMA user_version`, (rows) => rows[0]?.user_version ?? 0)

/** Splits at `;` at a line's end, which the migrations keep to. */
const statements = (script: string): ReadonlyArray<string> =>
  script
    .split(/;\n/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "")

/**
 * Brings the file up to date, once, in one transaction.
 * Errors: a file of a future version is refused and left as it is.
 */
export const migrate = (path: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const version = yield* versionOf(sql)
    if (version === current) return
    if (version > current) return yield* newer(path, version)
    // Folders are looked at before anybody has to wait for the file.
    const spellings = version > 0 && version < oneSpelling ? yield* Spellings.others : []
    yield* sql.withTransaction(
      Effect.gen(function* () {
        // Another process may have migrated it while this one waited for the lock.
        const from = yield* versionOf(sql)
        if (from > current) return yield* newer(path, from)
        yield* Spellings.fold(spellings)
        for (const script of migrations.slice(from)) {
          for (const statement of statements(script)) yield* sql.unsafe(statement)
        }
        if (from === current) return
        yield* sql.unsafe(`PRAGMA application_id = ${applicationId}`)
        yield* sql.unsafe(`PRAGMA user_version = ${current}`)
      })
    )
  })
