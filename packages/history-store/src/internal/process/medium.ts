/**
 * How a history is read where nothing can be written: on a disk that is mounted read-only.
 *
 * SQLite reads a database with a log by files that it makes beside it. Where it cannot make them, and there is no log to
 * read, the file is taken for one that nobody changes (`immutable`); anywhere else that would read halves of commits.
 */
import { accessSync, constants, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import * as path from "node:path"
import { pathToFileURL } from "node:url"

/** False also where others may write, or this process after a change of rights. */
export const isReadOnly = (directory: string): boolean => {
  try {
    accessSync(directory, constants.W_OK)
    return false
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "EROFS"
  }
}

const opens = (file: string): boolean => {
  try {
    const db = new DatabaseSync(file, { readOnly: true })
    try {
      db.prepare("PRAGMA schema_version").get()
      return true
    } finally {
      db.close()
    }
  } catch {
    return false
  }
}

/** What a history is opened by that is only read: its path, or the address of an unchanging file. */
export const addressOf = (file: string): string => {
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
  if (log > 0 || !isReadOnly(path.dirname(file)) || opens(file)) return file
  return `${pathToFileURL(file).href}?immutable=1`
}
