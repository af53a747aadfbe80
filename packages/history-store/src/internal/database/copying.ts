/** A copy of a whole database, as it was at one moment, while others go on writing to it. */
import { closeSync, fsyncSync, openSync } from "node:fs"
import { backup, DatabaseSync } from "node:sqlite"
import { keepPrivate } from "../../history/DataFolder.ts"
import * as Medium from "../process/medium.ts"

/** One step holds one view of the database; with more, each write of others begins the copy anew. */
const allPages = 2 ** 31 - 1

/** `to`: a new file, for its owner alone. Throws what SQLite or the file system does. */
export const copy = async (from: string, to: string): Promise<void> => {
  closeSync(openSync(to, "wx", 0o600))
  const db = new DatabaseSync(Medium.addressOf(from), { readOnly: true })
  try {
    await backup(db, to, { rate: allPages })
  } finally {
    db.close()
  }
  keepPrivate(to)
}

/** What was written to it is on the disk when this returns. */
export const sync = (file: string): void => {
  const descriptor = openSync(file, "r+")
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
