/**
 * One runner of a data folder at a time: a lock that goes with its process, whatever ends it.
 *
 * Two runners would do no harm, since each task has one owner; they would run more tasks at once than one does.
 */
import * as Effect from "effect/Effect"
import { mkdirSync } from "node:fs"
import * as path from "node:path"

const fileOf = (directory: string): string => path.join(directory, "owners", "runner.db")

const open = (directory: string) => {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite")
  mkdirSync(path.dirname(fileOf(directory)), { recursive: true, mode: 0o700 })
  return new DatabaseSync(fileOf(directory))
}

const take = (directory: string) => {
  const db = open(directory)
  try {
    db.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE")
    return db
  } catch {
    db.close()
    return undefined
  }
}

/** The lock until the scope closes, or that another process has it. */
export const hold = (directory: string) =>
  Effect.acquireRelease(
    Effect.sync(() => take(directory)),
    (db) => Effect.sync(() => db?.close())
  ).pipe(Effect.map((db) => db !== undefined))

/** Whether some process has it. */
export const isHeld = (directory: string): boolean => {
  const db = take(directory)
  db?.close()
  return db === undefined
}
