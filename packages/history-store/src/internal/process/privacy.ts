/**
 * What is in the data folder is its owner's alone: files 0600, folders 0700, whatever the umask of the process is.
 *
 * SQLite gives the files beside a database the rights of the database, so the database has them first. A file that is
 * there is never opened for it: POSIX would drop the locks of this process on it. Windows has no such rights.
 */
import { closeSync, openSync } from "node:fs"
import { keepPrivate } from "../../history/DataFolder.ts"

/** A database that is private before SQLite opens it, made empty when there is none. */
export const database = (file: string): void => {
  try {
    closeSync(openSync(file, "wx", 0o600))
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause
    for (const one of [file, `${file}-wal`, `${file}-shm`]) keepPrivate(one)
  }
}
