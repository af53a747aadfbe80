/**
 * list_files: the entries of a folder, of the whole tree under it, or those in it that a glob matches.
 *
 * Guarantees: links are shown and never followed, so a loop cannot be entered; at most 20,000 entries are looked at, and
 * as many shown as `FileTree` says; what is left out is said.
 */
import type { PathFact } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import * as Glob from "effect/Glob"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import * as path from "node:path"
import type * as Tool from "../../tool/Tool.ts"
import { failure, output } from "../../tool/Tool.ts"
import { figure } from "../../internal/figure.ts"
import * as FileTree from "../paths/FileTree.ts"
import * as PathTool from "../files/PathTool.ts"
import * as Walk from "../paths/Walk.ts"

export const Parameters = Schema.Struct({
  path: Schema.String.annotate({ description: "Folder; the workspace by default" }).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed("."))
  ),
  recursive: Schema.optionalKey(Schema.Boolean),
  pattern: Schema.optionalKey(
    Schema.String.check(Schema.isMaxLength(400)).annotate({ description: "Glob, such as **/*.test.ts" })
  )
})
export type Parameters = typeof Parameters.Type

/** Matching is done in parts, so that it can be stopped in between. */
const matchedAtOnce = 256

const markOf = (file: string, entry: fs.Dirent): string => {
  if (entry.isDirectory()) return "/"
  if (!entry.isSymbolicLink()) return ""
  try {
    return FileTree.link(fs.readlinkSync(file))
  } catch {
    return ""
  }
}

interface Found {
  readonly file: string
  readonly entry: fs.Dirent
}

/** Those that match below `top`; a pattern without a slash is one of names, wherever they are. */
const matching = Effect.fnUntraced(function* (found: ReadonlyArray<Found>, top: string, pattern: string) {
  const glob = Glob.make(pattern.includes("/") ? pattern : `**/${pattern}`, { dot: true })
  const kept: Array<Found> = []
  for (const [index, each] of found.entries()) {
    if (index % matchedAtOnce === 0) yield* Effect.yieldNow
    const name = path.relative(top, each.file).replaceAll(path.sep, "/")
    if (Glob.match(glob, each.entry.isDirectory() ? `${name}/` : name)) kept.push(each)
  }
  return kept
})

const notesOf = ({ notWalked, unreadable }: Walk.Walked): ReadonlyArray<string> => [
  ...(notWalked === 0
    ? []
    : [
        `[The walk stopped after ${figure(Walk.visitedEntries)} entries; folders that were not walked to the end: ${figure(notWalked)}. List one of them.]`
      ]),
  ...(unreadable === 0 ? [] : [`[Folders that could not be read: ${figure(unreadable)}.]`])
]

const list = Effect.fnUntraced(function* (args: Parameters, fact: PathFact.PathFact, workspace: string) {
  if (fact.kind === "absent") return failure(`${args.path} does not exist. List the folder above it.`)
  if (fact.kind !== "directory") return failure(`${args.path} is not a folder. Read it with read_file.`)
  const top = fact.resolved
  const all: Array<Found> = []
  const onEntry: Walk.Options["onEntry"] = (file, entry) => {
    all.push({ file, entry })
    return true
  }
  const recursive = args.recursive === true || args.pattern !== undefined
  const walked = yield* Walk.walk({ top, workspace, recursive, onEntry })
  if (walked.unreadable === 1 && walked.visited === 0) {
    return failure(`${args.path} could not be read (permission denied).`)
  }
  const found = args.pattern === undefined ? all : yield* matching(all, top, args.pattern)
  const display = (folder: string) =>
    (fact.inside ? path.relative(workspace, folder) || "." : folder).replaceAll(path.sep, "/")
  const lines = FileTree.lines(
    found.map(({ entry, file }) => ({
      folder: display(path.dirname(file)),
      name: entry.name,
      mark: markOf(file, entry)
    }))
  )
  const none = args.pattern === undefined ? "[No entries, but for ignored ones.]" : "[Nothing here matches.]"
  return output([...(lines.length === 0 ? [none] : lines), ...notesOf(walked)].join("\n"))
})

export const make = ({ home }: { readonly home: string }): Tool.Tool<Parameters> =>
  PathTool.reading({
    name: "list_files",
    description: "List a folder, or with recursive or pattern the tree under it. Ignored files are left out.",
    parameters: Parameters,
    home,
    kind: "directory",
    run: (args, fact, { workspace }) => list(args, fact, workspace)
  })
