/** The settings of this machine's user: `settings.json` in the data folder. Without a file nothing more is loaded. */
import * as DataFolder from "@belay/history-store/data-folder"
import type { Document } from "@belay/settings/file"
import * as Effect from "effect/Effect"
import { accessSync, constants } from "node:fs"
import * as path from "node:path"
import type { Failure } from "../cli/Failure.ts"
import * as SettingsFile from "./SettingsFile.ts"

export const file = (): string => path.join(DataFolder.directory(), "settings.json")

/** A data folder that is not there or closed has no settings, and no history either: whoever opens that says so. */
const isOpen = (): boolean => {
  try {
    accessSync(DataFolder.directory(), constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Errors: one line that names file, setting and value. Nothing starts with settings that cannot be used. */
export const load: Effect.Effect<Document, Failure> = Effect.gen(function* () {
  const from = file()
  const value = isOpen() ? yield* SettingsFile.read(from) : undefined
  if (value === undefined) return {}
  const { decode, refusal } = yield* Effect.promise(() => import("@belay/settings/file"))
  return yield* Effect.mapError(decode(value), (wrong) => SettingsFile.failure(refusal(from, wrong)))
})
