/** The lock that proves a process alive: one SQLite file of its own, kept locked as long as it lives. */
import { Machine as Kind, ReplaceFile } from "@belay/machine"
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { keepPrivate } from "../../history/DataFolder.ts"
import * as Folders from "./folders.ts"
import * as HistoryError from "../../history/HistoryError.ts"
import * as Liveness from "./liveness.ts"
import * as Machine from "./machine.ts"
import type { Liveness as Judged, OwnerRow } from "../../history/Owner.ts"
import * as Privacy from "./privacy.ts"
import * as Volume from "./networkFileSystem.ts"

const attempt = <A>(read: () => A, otherwise: A): A => {
  try {
    return read()
  } catch {
    return otherwise
  }
}

export const identity = (ownerId: string, kind: string): OwnerRow => ({
  ownerId,
  ...Machine.here(),
  pid: process.pid,
  kind
})

const fileOf = (directory: string, ownerId: string): string => path.join(directory, `owner-${ownerId}.db`)

/** Takes the lock of this process and keeps it until the scope closes; `forget` lets the file go with it. */
export const hold = (directory: string, ownerId: string, machine: Kind.Machine = Kind.host) =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        Folders.make(directory)
        keepPrivate(directory)
        Privacy.database(fileOf(directory, ownerId))
        const db = new DatabaseSync(fileOf(directory, ownerId))
        try {
          db.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE")
        } catch (cause) {
          db.close()
          throw cause
        }
        return { db, forgotten: false }
      },
      catch: (cause) => HistoryError.fromCause(directory, cause)
    }),
    (lock) => Effect.sync(() => release(lock, fileOf(directory, ownerId), machine))
  )

/** The open file of an owner that lives. */
export interface Lock {
  readonly db: DatabaseSync
  /** Its row is gone, so nobody will ask for the file again. */
  forgotten: boolean
}

/** What cannot be removed stays, and nobody asks for it again. */
const remove = (file: string, machine: Kind.Machine): void =>
  attempt(() => ReplaceFile.patiently(() => machine.fs.unlinkSync(file), machine), undefined)

/** POSIX removes the file while it is still locked; Windows cannot remove an open file. */
const release = (lock: Lock, file: string, machine: Kind.Machine): void => {
  const windows = Kind.isWindows(machine)
  if (lock.forgotten && !windows) remove(file, machine)
  attempt(() => lock.db.close(), undefined)
  if (lock.forgotten && windows) remove(file, machine)
}

const SQLITE_OK = 0
const SQLITE_ERROR = 1
const SQLITE_BUSY = 5

/**
 * What SQLite says when the lock of another owner is asked for: free (0), busy (5), or another result code. An owner of this
 * very process loses no lock by it: SQLite keeps the locks of all connections of a process together, and closes no
 * descriptor of a file while one of them is held.
 */
const tryLock = (file: string, found: (db: DatabaseSync) => void): number => {
  let db: DatabaseSync | undefined
  try {
    // Never creates a file that was removed meanwhile.
    db = new DatabaseSync(`${pathToFileURL(file).href}?mode=rw`)
    db.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE")
    found(db)
    return SQLITE_OK
  } catch (cause) {
    return Number((cause as { readonly errcode?: unknown }).errcode ?? SQLITE_ERROR) & 0xff
  } finally {
    attempt(() => db?.close(), undefined)
  }
}

const pidIsGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return false
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "ESRCH"
  }
}

const lockOf = (directory: string, me: OwnerRow, other: OwnerRow): Liveness.Lock => {
  if (other.ownerId === me.ownerId) return "mine"
  const file = fileOf(directory, other.ownerId)
  if (!existsSync(file)) return "absent"
  const code = tryLock(file, () => undefined)
  return code === SQLITE_OK ? "free" : code === SQLITE_BUSY ? "held" : "unclear"
}

/** How the owners of a folder are judged; where that folder is, is looked at once, when it matters first. */
export const judging = (directory: string, me: OwnerRow): ((other: OwnerRow) => Judged) => {
  let own: boolean | undefined
  return (other) =>
    Liveness.judge({
      me,
      other,
      lock: lockOf(directory, me, other),
      pidIsGone: () => pidIsGone(other.pid),
      ownDisk: () => (own ??= Volume.onOwnDisk(directory))
    })
}

/** Removes the lock file of a dead owner, while its lock is held; on Windows right after. */
export const forget = (directory: string, other: OwnerRow, machine: Kind.Machine = Kind.host): void => {
  const file = fileOf(directory, other.ownerId)
  if (!existsSync(file)) return
  const windows = Kind.isWindows(machine)
  const code = tryLock(file, () => {
    if (!windows) remove(file, machine)
  })
  if (windows && code === SQLITE_OK) remove(file, machine)
}
