/**
 * Keeps `attention.json` of a data folder in step with the history.
 *
 * What is written is read from the database at that moment, so of several processes it does not matter who writes last.
 * A file that says it already is left alone. It is a hint: one that cannot be written is not an error.
 */
import { ReplaceFile } from "@belay/machine"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import * as Attention from "./history/Attention.ts"
import type { HistoryError } from "./history/HistoryError.ts"
import { TaskHistory } from "./history/TaskHistory.ts"

/** Returns the path of the file in a data folder. */
export const fileOf = (directory: string): string => path.join(directory, Attention.fileName)

const current = (file: string): string | undefined => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return undefined
  }
}

/** A new file takes the place of the old one, so a reader never sees half of one. */
const replace = (file: string, text: string, unique: number): void => {
  const temporary = `${file}.${unique}.tmp`
  try {
    writeFileSync(temporary, text, { flag: "wx", mode: 0o600 })
    ReplaceFile.rename(temporary, file)
  } catch {
    rmSync(temporary, { force: true })
  }
}

/** Writes the file when it does not say what a history that can be written says. `directory` is the data folder. */
export const refresh = (directory: string): Effect.Effect<void, HistoryError, TaskHistory> =>
  Effect.gen(function* () {
    const { attention, notice } = yield* TaskHistory
    // It is the newer version's to say.
    if (notice !== null) return
    const text = Attention.format(yield* attention)
    const unique = yield* Random.nextIntBetween(0, Number.MAX_SAFE_INTEGER)
    yield* Effect.sync(() => {
      const file = fileOf(directory)
      if (current(file) !== text) replace(file, text, unique)
    })
  })
