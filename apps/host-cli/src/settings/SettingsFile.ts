/**
 * A settings file as text and value: read with a limit, replaced whole or not at all, never written through a link.
 */
import type { SettingsFileError } from "@belay/task-engine/settings-file"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import { closeSync, fsyncSync, lstatSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs"
import * as path from "node:path"
import { type Failure, usage } from "../Failure.ts"

/** Errors of a settings file as failures of the command. */
export const failure = ({ hint, what }: SettingsFileError): Failure => usage(what, hint)

const isAbsent = (file: string): boolean => {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) === undefined
  } catch {
    // Reading it says what is wrong.
    return false
  }
}

/** What the file holds; `undefined` when there is none, and then nothing more is loaded. Errors: one line. */
export const read = (file: string): Effect.Effect<unknown, Failure> =>
  Effect.suspend(() =>
    isAbsent(file)
      ? Effect.void
      : Effect.promise(() => import("@belay/task-engine/settings-file")).pipe(
          Effect.flatMap((files) => files.read(file)),
          Effect.mapError(failure)
        )
  )

const replace = (file: string, text: string): void => {
  const temporary = `${file}.${randomUUID()}.tmp`
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  const handle = openSync(temporary, "wx", 0o600)
  try {
    writeSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  try {
    renameSync(temporary, file)
  } catch (cause) {
    rmSync(temporary, { force: true })
    throw cause
  }
}

const isLink = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true

export const write = (file: string, value: unknown): Effect.Effect<void, Failure> =>
  Effect.suspend(() => {
    try {
      if (isLink(file)) {
        return Effect.fail(usage(`the settings are a symbolic link (${file})`, "Change the file it points to."))
      }
      replace(file, `${JSON.stringify(value, undefined, 2)}\n`)
      return Effect.void
    } catch {
      return Effect.fail(usage(`the settings cannot be written (${file})`, "Check the folder's rights and free space."))
    }
  })
