/**
 * A folder that a task may read and edit besides its workspace, as `--add-dir` names it.
 *
 * Refused is one that would open more than another project: a root, and whatever holds the home folder, the workspace or
 * Belay's own data, or lies in that. Folders are compared by what they are, not by how they are written.
 */
import { Machine } from "@belay/machine"
import * as DataFolder from "@belay/history-store/data-folder"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { statSync } from "node:fs"
import * as path from "node:path"
import { type Failure, usage } from "../cli/Failure.ts"
import * as Home from "./Home.ts"

const identity = (folder: string): string | undefined => {
  const found = statSync(folder, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? undefined : `${found.dev}:${found.ino}`
}

/** The folder and all above it. */
const upwards = (folder: string): ReadonlyArray<string> => {
  const above = path.dirname(folder)
  return above === folder ? [folder] : [folder, ...upwards(above)]
}

const holds = (folder: string, other: string): boolean => {
  const own = identity(folder)
  return own !== undefined && upwards(other).some((each) => identity(each) === own)
}

/** What it would open that it must not; nothing where it may be added. */
const opens = (folder: string, workspace: string): string | undefined => {
  const data = Result.getOrElse(Home.workspace(DataFolder.directory()), () => DataFolder.directory())
  const home = Result.getOrElse(Home.workspace(Machine.home()), () => Machine.home())
  if (path.dirname(folder) === folder) return "it is all of this machine"
  if (holds(folder, home)) return "your home folder is in it"
  if (identity(folder) !== identity(workspace) && holds(folder, workspace)) return "the workspace is in it"
  return holds(folder, data) || holds(data, folder) ? "it has to do with Belay's own data" : undefined
}

/** Resolved. Errors: one line. */
export const of = (given: string, workspace: string): Effect.Effect<string, Failure> =>
  Effect.gen(function* () {
    const folder = yield* Effect.mapError(Effect.fromResult(Home.workspace(given)), () =>
      statSync(given, { throwIfNoEntry: false })?.isFile() === true
        ? usage(`the path to add is not a folder (${given}, --add-dir)`, "Name a folder.")
        : usage(`there is no such folder to read (${given}, --add-dir)`, "Name a folder that is there.")
    )
    const why = opens(folder, workspace)
    return why === undefined
      ? folder
      : yield* usage(`this folder cannot be added, ${why} (${given}, --add-dir)`, "Name the folder that is needed.")
  })
