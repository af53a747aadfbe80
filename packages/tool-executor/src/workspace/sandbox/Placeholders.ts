/**
 * Empty folders that hold a place in the root of a workspace while a confined command runs, so that a protected name which
 * was absent cannot be made there, not even for a moment.
 *
 * A mount needs something of the host to lie on. An empty folder is invisible to git and means to the tools that read the
 * name what nothing means. Guarantees: only what is absent gets one; one is removed only while it is empty; never one that
 * another command still needs.
 */
import * as fs from "node:fs"
import * as path from "node:path"

/**
 * Names that a person, an editor or a shell obeys by itself in the root of a project. Others of the protected set mean
 * something by being there (`package.json`, `Makefile`, `.env`), and are put aside when the command has ended.
 */
export const names: ReadonlyArray<string> = [
  ".git",
  ".gitattributes",
  ".gitmodules",
  ".githooks",
  ".husky",
  ".npmrc",
  ".yarnrc",
  ".yarn",
  ".envrc",
  ".cargo",
  ".mvn",
  ".vscode",
  ".idea",
  ".devcontainer",
  ".fleet",
  ".zed",
  ".belay",
  ".claude",
  ".codex",
  ".gemini",
  ".cursor",
  ".windsurf",
  ".roo",
  ".kiro",
  ".continue",
  ".agents"
]

const isThere = (file: string): boolean => fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined

/** Absolute paths for a workspace: absent ones, and those that hold a place for another command already. */
export const wanted = (workspace: string, held: ReadonlySet<string>): ReadonlyArray<string> =>
  names.map((name) => path.join(workspace, name)).filter((file) => held.has(file) || !isThere(file))

/** False: there is something else by now, or the folder cannot be written. */
export const make = (file: string): boolean => {
  try {
    fs.mkdirSync(file)
    return true
  } catch {
    try {
      return fs.lstatSync(file).isDirectory()
    } catch {
      return false
    }
  }
}

export const remove = (files: ReadonlyArray<string>): void => {
  for (const file of files) {
    try {
      fs.rmdirSync(file)
    } catch {
      // It is gone, or somebody has put something there, which counts as what appeared.
    }
  }
}
