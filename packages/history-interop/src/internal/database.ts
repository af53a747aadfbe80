/**
 * Databases of other programs, which may have them open: nothing is made beside them, no lock is taken, and what was
 * written last is read.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import * as Copies from "./copies.ts"
import * as Files from "./files.ts"

/** Bytes. What is larger, and has no log of its own beside it, is read where it lies. */
const largest = 64 * 1024 * 1024

/** Names a database that can be read. */
export interface Readable {
  /** What is opened. */
  readonly address: string
  /** Our copy of it. */
  readonly folder: string | undefined
}

const sizeOf = (file: string): number => {
  const seen = Files.seen(file)
  return seen._tag === "File" ? seen.bytes : 0
}

/** Copies a database with its log into a folder of ours, or names it as it lies. Undefined when it is not there. */
export const readable = (file: string): Readable | undefined => {
  if (Files.seen(file)._tag !== "File") return undefined
  const log = `${file}-wal`
  if (sizeOf(log) === 0 && sizeOf(file) > largest) {
    return { address: `${pathToFileURL(file).href}?immutable=1`, folder: undefined }
  }
  const folder = mkdtempSync(path.join(tmpdir(), "belay-state-"))
  const copy = path.join(folder, "copy.db")
  const done = Result.try(() => Copies.copy(file, copy) && (!existsSync(log) || Copies.copy(log, `${copy}-wal`)))
  if (Result.isSuccess(done) && done.success) return { address: copy, folder }
  remove({ address: copy, folder })
  return undefined
}

/** Removes our copy. */
export const remove = ({ folder }: Readable): void => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** Reads a database that was made readable. Throws what SQLite throws. */
export const use = <A>({ address, folder }: Readable, read: (db: DatabaseSync) => A): A => {
  const { DatabaseSync: Database } = process.getBuiltinModule("node:sqlite")
  const db = new Database(address, { readOnly: folder === undefined })
  try {
    return read(db)
  } finally {
    db.close()
  }
}

/** What is read of a database once; `none` when it is not there or cannot be read. */
export const once = <A>(file: string, none: A, read: (db: DatabaseSync) => A): Effect.Effect<A> =>
  Effect.orElseSucceed(
    Effect.try({
      try: () => {
        const found = readable(file)
        if (found === undefined) return none
        try {
          return use(found, read)
        } finally {
          remove(found)
        }
      },
      catch: () => "unreadable" as const
    }),
    () => none
  )
