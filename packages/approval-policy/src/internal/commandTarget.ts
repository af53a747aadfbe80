/** Where a word of a command leads, as far as its text says. */
import type { CommandFact } from "../CommandFact.ts"
import { dequote, type Segment } from "./commandText.ts"

export interface Context {
  readonly workspace: string
  readonly command: CommandFact
  /** Relative words lie in the workspace. */
  readonly anchored: boolean
  /** The text changes its folder, so that it is not known where in the workspace. */
  readonly moved: boolean
}

const literal = /^[\p{L}\p{N}_./@%+,:=*?-]+$/u
const glob = /[*?]/

const parts = (path: string): ReadonlyArray<string> => path.split("/").filter((part) => part !== "" && part !== ".")

/**
 * The path of a word relative to the workspace (or to the folder of the command); undefined when the word may lead
 * elsewhere, or to the workspace as a whole, or when its text does not say where.
 */
const insideOf = (word: string, context: Context): ReadonlyArray<string> | undefined => {
  const path = dequote(word)
  if (!literal.test(path) || /^[A-Za-z]:/.test(path)) return undefined
  const found = parts(path)
  if (found.some((part) => part === ".." || (part.startsWith(".") && glob.test(part)))) return undefined
  if (!path.startsWith("/")) return context.anchored ? found : undefined
  const root = parts(context.workspace.replaceAll("\\", "/"))
  return root.length > 0 && root.every((part, index) => found[index] === part) ? found.slice(root.length) : undefined
}

/** True when the word names something strictly inside the workspace. */
export const isInside = (word: string, context: Context, globs: boolean): boolean => {
  const found = insideOf(word, context)
  if (found === undefined || found.length === 0) return false
  return globs ? found.join("/") !== "*" : !glob.test(found.join("/"))
}

/** The path relative to the workspace of a word that is inside; undefined when it cannot be told. */
export const relativeOf = (word: string, context: Context): string | undefined => {
  const found = insideOf(word, context)
  if (found === undefined || glob.test(found.join("/"))) return undefined
  if (dequote(word).startsWith("/")) return found.join("/")
  return context.moved ? undefined : [...parts(context.command.cwd.relative), ...found].join("/")
}

const moves = /^(?:cd|pushd|popd|chdir)$/

/** What the folder of the command and its own changes of folder mean for relative words. */
export const contextOf = (command: CommandFact, workspace: string, segments: ReadonlyArray<Segment>): Context => {
  const start: Context = { workspace, command, anchored: command.cwd.inside, moved: false }
  const changes = segments.flatMap(({ words }) => {
    const at = words.findIndex((word) => moves.test(dequote(word)))
    return at < 0 ? [] : [words[at + 1] ?? "~"]
  })
  const moved = changes.length > 0
  const anchored = start.anchored && changes.every((word) => isInside(word, start, false))
  return { ...start, anchored, moved }
}
