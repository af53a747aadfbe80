/**
 * Keeps those who use a store apart from the one who throws things away in it, across processes.
 *
 * Users share the lock, a collector has it alone. It is a lock of SQLite on an empty database, so the system frees it
 * when a process dies, whatever its end, on every platform.
 */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { CheckpointError } from "../CheckpointError.ts"

class Busy {
  readonly _tag = "Busy"
}

const isBusy = (cause: unknown): boolean =>
  typeof cause === "object" && cause !== null && "errcode" in cause && (Number(cause.errcode) & 0xff) === 5

/** Readable by its owner alone, whatever the umask. One that is there is not opened: that would free its locks. */
const make = (file: string): void => {
  try {
    fs.closeSync(fs.openSync(file, "wx", 0o600))
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause
  }
}

const open = (file: string, statements: string): DatabaseSync => {
  make(file)
  const database = new DatabaseSync(file)
  try {
    database.exec(`PRAGMA busy_timeout = 0; ${statements}`)
    return database
  } catch (cause) {
    database.close()
    throw cause
  }
}

const take = (file: string, statements: string): Effect.Effect<void, CheckpointError | Busy, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.try({
        try: () => open(file, statements),
        catch: (cause) =>
          isBusy(cause) ? new Busy() : new CheckpointError({ reason: "store", subject: String(cause), cause })
      }),
      (database) => Effect.sync(() => database.close())
    )
  )

/** True when nobody else uses the store, and nobody will until the scope closes. */
export const alone = (file: string): Effect.Effect<boolean, CheckpointError, Scope.Scope> =>
  take(file, "BEGIN EXCLUSIVE").pipe(
    Effect.as(true),
    Effect.catchTag("Busy", () => Effect.succeed(false))
  )

/** Waits for a collector to end, up to a minute. */
export const shared = (file: string): Effect.Effect<void, CheckpointError, Scope.Scope> =>
  take(file, "BEGIN; SELECT count(*) FROM sqlite_schema").pipe(
    Effect.retry({
      while: (failure) => failure._tag === "Busy",
      schedule: Schedule.max([Schedule.spaced("20 millis"), Schedule.recurs(3000)])
    }),
    Effect.catchTag("Busy", () => Effect.fail(new CheckpointError({ reason: "tooSlow", subject: "60" })))
  )
