/**
 * A look at a file before it is opened for writing: through a read-only connection that changes nothing.
 */
import * as Effect from "effect/Effect"
import { existsSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import * as HistoryError from "../../history/HistoryError.ts"
import * as Medium from "../process/medium.ts"
import { applicationId, current, newer } from "./schema.ts"

/** A full check of files up to this size costs a few ms; damage in larger ones shows when it is read. */
const checkedBytes = 8 * 1024 * 1024

const damaged = (file: string, detail: string) =>
  new HistoryError.HistoryError({ reason: "corrupt", path: file, detail: `it is damaged (${detail})` })

const first = (db: DatabaseSync, sql: string): unknown => Object.values(db.prepare(sql).get() ?? {})[0]

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** SQLite takes a page that is cut off at the end for a whole one; with a log beside it, the log has that page. */
const isCutOff = (file: string, db: DatabaseSync, size: number): boolean =>
  size % Number(first(db, "PRAGMA page_size")) !== 0 && sizeOf(`${file}-wal`) === 0

/** What the file is opened for; a newer one may still be read. */
export type Purpose = "read" | "write"

const canRead = (db: DatabaseSync): boolean => {
  if (Number(first(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'meta'")) === 0) return false
  return Number(first(db, "SELECT oldest_reader FROM meta")) <= current
}

const examine = (file: string, purpose: Purpose, db: DatabaseSync, size: number): number => {
  const version = Number(first(db, "PRAGMA user_version"))
  if (version > current && (purpose === "write" || !canRead(db))) throw newer(file, version)
  if (isCutOff(file, db, size)) throw damaged(file, "it is cut off")
  if (size <= checkedBytes) {
    const verdict = String(first(db, "PRAGMA quick_check(1)"))
    if (verdict !== "ok") throw damaged(file, verdict.split("\n")[0] ?? verdict)
  }
  const tables = Number(first(db, "SELECT count(*) FROM sqlite_schema"))
  if (tables > 0 && Number(first(db, "PRAGMA application_id")) !== applicationId) {
    throw new HistoryError.HistoryError({
      reason: "corrupt",
      path: file,
      detail: "it is the database of another program"
    })
  }
  return version
}

/** SQLite would delete the log of a file that was taken away, and what only the log holds with it. */
const missing = (file: string) =>
  new HistoryError.HistoryError({
    reason: "corrupt",
    path: file,
    detail: `it is missing, and its log (${file}-wal) with what was stored last is still there`
  })

/**
 * The version of the history in a file: 0 when there is none yet. Errors: `corrupt` for what is no history or half of one, `newer` for
 * one of a future version that is to be written, or that says that this version cannot read it.
 */
export const inspect = (file: string, purpose: Purpose) =>
  Effect.try({
    try: () => {
      const size = sizeOf(file)
      if (size === 0) {
        if (sizeOf(`${file}-wal`) > 0) throw missing(file)
        return 0
      }
      const db = new DatabaseSync(Medium.addressOf(file), { readOnly: true })
      try {
        return examine(file, purpose, db, size)
      } finally {
        db.close()
      }
    },
    catch: (cause) => HistoryError.fromCause(file, cause)
  }).pipe(
    // Killed while it was made: a reader cannot roll that back, a writer does.
    Effect.catchIf(
      (error) => error.reason === "readOnly" && existsSync(`${file}-journal`),
      () => Effect.succeed(0)
    )
  )
