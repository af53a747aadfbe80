/**
 * What an instruction file brings with `@path`: relative to itself, to the home folder with `~`, or absolute.
 *
 * As Claude Code and Gemini CLI have it: not in code, and at most five files deep. Each file counts once, so nothing goes
 * round in circles. A path that leads out of the folder is followed to the file that it really is, under whose name it is
 * asked about; what may hold secrets is never read.
 */
import { Machine, Share } from "@belay/machine"
import { realpathSync } from "node:fs"
import * as path from "node:path"
import * as Files from "./files.ts"

export type IsSecret = (file: string) => boolean

const deepest = 5

/** Text without blocks and spans of code. */
const withoutCode = (text: string): string =>
  text
    .replaceAll(/^ {0,3}(`{3,}|~{3,})[\s\S]*?(?:^ {0,3}\1[`~]*[ \t]*$|(?![\s\S]))/gmu, "")
    .replaceAll(/(`+)[^`]+\1/gu, "")

const named = (text: string): ReadonlyArray<string> => [
  ...new Set(
    [...withoutCode(text).matchAll(/(?<=^|\s)@((?:\\ |[^\s`])+)/gu)].map(([, found = ""]) =>
      found.replaceAll("\\ ", " ").replace(/[.,;:!?)\]]+$/u, "")
    )
  )
]

/** What cannot be a name of a person or a package. */
const isPlainlyPath = (name: string): boolean => /^(?:~?\/|\.{1,2}\/)|\.[A-Za-z]\w*$/u.test(name)

const lies = (file: string, folder: string): string | undefined => {
  const name = path.relative(folder, file)
  return name === "" || name.startsWith("..") || path.isAbsolute(name) ? undefined : name.replaceAll(path.sep, "/")
}

const really = (file: string): string | undefined => {
  try {
    return realpathSync(file)
  } catch {
    return undefined
  }
}

/** The file that an import names; nothing where it is but a word with an `@`. */
const look = (workspace: string, from: string, name: string, isSecret: IsSecret): ReadonlyArray<Files.Seen> => {
  const home = name.startsWith("~/") ? path.join(Machine.home(), name.slice(2)) : name
  // Looking at it would tell another machine who asks.
  if (Share.isForeign(home, [workspace, from])) return [{ name, why: "it lies on another machine" }]
  const file = path.resolve(path.dirname(from), home)
  const shown = lies(file, workspace) ?? file.replaceAll(path.sep, "/")
  const real = really(file)
  if (real === undefined) return isPlainlyPath(name) ? [{ name: shown, why: "there is no such file" }] : []
  if (isSecret(file) || isSecret(real)) return [{ name: shown, why: "it may hold secrets" }]
  const at = lies(file, workspace) === undefined ? real : file
  const inside = lies(at, workspace)
  return inside === undefined
    ? Files.one(path.dirname(at), path.basename(at)).map((seen) => ({ ...seen, name: at.replaceAll(path.sep, "/") }))
    : Files.one(workspace, inside)
}

/** A file with what it imports, each after the one that names it. `read`: what was read already; it is added to. */
export const withImports = (
  workspace: string,
  seen: Files.Seen,
  isSecret: IsSecret,
  read: Set<string>,
  depth = 0
): ReadonlyArray<Files.Seen> => {
  const from = path.resolve(workspace, seen.name)
  if (read.has(from)) return []
  if (depth > deepest) return [{ name: seen.name, why: `it is imported more than ${deepest} files deep` }]
  read.add(from)
  if (!Files.isFile(seen)) return [seen]
  return [
    seen,
    ...named(seen.text).flatMap((name) =>
      look(workspace, from, name, isSecret).flatMap((next) => withImports(workspace, next, isSecret, read, depth + 1))
    )
  ]
}
