/**
 * A history as one file, made while other processes go on with it: to keep, or to put in the place of a damaged one.
 *
 * It holds every commit that was answered before it began, and of a later one all or nothing. Nobody runs a task in it:
 * who opens it finds those that were running interrupted. The file appears whole and on the disk, or not at all.
 */
import { ReplaceFile } from "@belay/machine"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"
import { closeSync, existsSync, fsyncSync, linkSync, openSync, readdirSync, rmSync, statSync } from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as HistoryError from "./history/HistoryError.ts"
import * as Dialect from "./internal/database/dialect.ts"
import * as Copying from "./internal/database/copying.ts"
import * as Folders from "./internal/process/folders.ts"
import { fileOf } from "./internal/process/identity.ts"
import { inspect } from "./internal/database/inspect.ts"
import * as Patience from "./internal/database/retry.ts"
import { current } from "./internal/database/schema.ts"
import { isKept } from "./internal/writing/tombstone.ts"

/** The backup was not made; nothing was changed. */
export class BackupError extends Schema.TaggedError<BackupError>()("BackupError", {
  path: Schema.String,
  /** What is wrong and what to do, as two sentences without the last period. */
  detail: Schema.String
}) {
  override get message() {
    return `the history was not backed up (${this.path}): ${this.detail}.`
  }
}

/** Reports the copy that was made. */
export interface Made {
  /** Absolute. */
  readonly path: string
  readonly tasks: number
  readonly bytes: number
}

/** An unfinished copy of this file, or what SQLite kept beside it. */
const isPartial = (name: string, of: string): boolean =>
  name.startsWith(`${of}.`) && /^[0-9a-f]{8}\.partial(?:-journal|-wal|-shm)?$/.test(name.slice(of.length + 1))

const busy = 5

/** The process that makes it has it locked. */
const isInUse = (file: string): boolean => {
  try {
    const db = new DatabaseSync(file)
    try {
      db.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE")
      return false
    } finally {
      db.close()
    }
  } catch (cause) {
    return (Number((cause as { readonly errcode?: unknown }).errcode ?? 0) & 0xff) === busy
  }
}

/** What a backup to the same file left that was killed. */
const removePartials = (target: string): void => {
  const folder = path.dirname(target)
  const found = readdirSync(folder).filter((name) => isPartial(name, path.basename(target)))
  const used = found.filter((name) => name.endsWith(".partial") && isInUse(path.join(folder, name)))
  for (const name of found) {
    if (!used.some((one) => name.startsWith(one))) rmSync(path.join(folder, name), { force: true })
  }
}

/** One file that needs none beside it, in which nobody is at work. Gives how many tasks it has. */
const finish = (file: string): number => {
  const db = new DatabaseSync(file)
  try {
    db.exec("PRAGMA journal_mode = DELETE")
    const version = Number(db.prepare("PRAGMA user_version").get()?.["user_version"])
    if (version <= current) db.exec("BEGIN; DELETE FROM lease; DELETE FROM owner; COMMIT")
    return Number(
      db.prepare(`SELECT count(*) AS n FROM task t WHERE ${isKept(Dialect.sqlite, "t.record")}`).get()?.["n"]
    )
  } finally {
    db.close()
  }
}

const exists = (target: string) =>
  new BackupError({ path: target, detail: "a file of this name is there. Name another one, or move that one away" })

/** Never takes the place of a file that is there. Some disks have no second names for a file. */
const appear = (partial: string, target: string): void => {
  try {
    linkSync(partial, target)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST" || existsSync(target)) throw exists(target)
    ReplaceFile.rename(partial, target)
    return
  }
  rmSync(partial)
}

/** The name of a new file is on the disk as well; Windows does that by itself. */
const syncFolder = (folder: string): void => {
  if (process.platform === "win32") return
  const descriptor = openSync(folder, "r")
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

const make = async (from: string, target: string, partial: string): Promise<Made> => {
  try {
    await Copying.copy(from, partial)
    const tasks = finish(partial)
    Copying.sync(partial)
    const bytes = statSync(partial).size
    appear(partial, target)
    syncFolder(path.dirname(target))
    return { path: target, tasks, bytes }
  } finally {
    rmSync(partial, { force: true })
  }
}

/** Trouble with the file that is made is no trouble with the history. */
const failureOf =
  (target: string) =>
  (cause: unknown): BackupError | HistoryError.HistoryError => {
    if (cause instanceof BackupError) return cause
    const { detail, reason } = HistoryError.fromCause(target, cause)
    const why = reason === "full" ? "the disk is full" : detail
    return new BackupError({ path: target, detail: `${why}. Name a file in a folder that can be written` })
  }

/**
 * Backs up the history in a data folder to a new file. Errors: `HistoryError` when the history cannot be read,
 * `BackupError` when there is none, when the file is there already and when it cannot be written.
 */
export const run = (directory: string, file: string): Effect.Effect<Made, BackupError | HistoryError.HistoryError> =>
  Effect.gen(function* () {
    const from = fileOf(directory)
    const target = path.resolve(file)
    if (!existsSync(from)) {
      return yield* new BackupError({ path: from, detail: "there is no history yet. Run a task first" })
    }
    yield* Patience.waiting(inspect(from, "read"))
    const unique = (yield* Random.nextIntBetween(0, 0xffffffff)).toString(16).padStart(8, "0")
    return yield* Effect.tryPromise({
      try: async () => {
        if (existsSync(target)) throw exists(target)
        removePartials(target)
        return await make(from, target, `${target}.${unique}.partial`)
      },
      catch: failureOf(target)
    })
  })

/** The database exactly as it is, in a new file whose folder is made. Errors: `BackupError` when it cannot be written. */
export const exact = (directory: string, file: string): Effect.Effect<void, BackupError | HistoryError.HistoryError> =>
  Effect.tryPromise({
    try: () => {
      Folders.make(path.dirname(file))
      return Copying.copy(fileOf(directory), file)
    },
    catch: failureOf(file)
  })
