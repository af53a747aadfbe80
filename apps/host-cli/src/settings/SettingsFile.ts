/**
 * A settings file as text and value: read with a limit, replaced whole or not at all, never written through a link.
 */
import type { SettingsFileError } from "@belay/settings/file"
import * as Effect from "effect/Effect"
import { lstatSync } from "node:fs"
import { type Failure, usage } from "../cli/Failure.ts"

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
      : Effect.promise(() => import("@belay/settings/file")).pipe(
          Effect.flatMap((files) => files.read(file)),
          Effect.mapError(failure)
        )
  )

/** Replaced whole or not at all, and never through a link. */
export const write = (file: string, value: unknown): Effect.Effect<void, Failure> =>
  Effect.promise(() => import("@belay/settings/file")).pipe(
    Effect.flatMap((files) => files.write(file, value)),
    Effect.mapError(failure)
  )
