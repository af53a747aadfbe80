/**
 * list_files: the entries of a folder, or of the whole tree under it.
 *
 * Guarantees: links are shown and never followed, so a loop cannot be entered; at most 1,000 entries are shown, those
 * nearest to the top, and at most 20,000 looked at; what is left out is said. One entry is one line, whatever its name.
 */
import type { PathFact } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import * as path from "node:path"
import type * as Tool from "../Tool.ts"
import { failure, output } from "../Tool.ts"
import * as IgnoreRules from "./IgnoreRules.ts"
import * as PathTool from "./PathTool.ts"
import * as PlainText from "./PlainText.ts"

export const Parameters = Schema.Struct({
  path: Schema.String.annotate({ description: "Folder; . is the workspace" }),
  recursive: Schema.optionalKey(Schema.Boolean)
})
export type Parameters = typeof Parameters.Type

const shownEntries = 1000
const visitedEntries = 20_000

/** Reads at most `room` entries, so that a folder of any size takes little; undefined: it cannot be read. */
export const readFolder = (folder: string, room: number): ReadonlyArray<fs.Dirent> | undefined => {
  let open: fs.Dir
  try {
    open = fs.opendirSync(folder)
  } catch {
    return undefined
  }
  try {
    const entries: Array<fs.Dirent> = []
    for (let entry = open.readSync(); entry !== null && entries.length < room; entry = open.readSync()) {
      entries.push(entry)
    }
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return undefined
  } finally {
    open.closeSync()
  }
}

const linkTarget = (file: string): string => {
  try {
    return ` -> ${PlainText.name(fs.readlinkSync(file))}`
  } catch {
    return ""
  }
}

interface Listing {
  readonly shown: Array<string>
  leftOut: number
  visited: number
  unreadable: number
  notWalked: number
}

const walk = Effect.fnUntraced(function* (fact: PathFact.PathFact, workspace: string, recursive: boolean) {
  const rules = IgnoreRules.make(workspace)
  const listing: Listing = { shown: [], leftOut: 0, visited: 0, unreadable: 0, notWalked: 0 }
  const display = (file: string) =>
    PlainText.name(fact.inside ? path.relative(workspace, file).replaceAll(path.sep, "/") : file)
  const folders = [fact.resolved]
  for (let index = 0; index < folders.length; index++) {
    const folder = folders[index] ?? fact.resolved
    const room = visitedEntries - listing.visited
    if (room <= 0) {
      listing.notWalked = folders.length - index
      break
    }
    const entries = readFolder(folder, room)
    if (entries === undefined) {
      listing.unreadable++
      continue
    }
    if (entries.length === room) listing.notWalked++
    listing.visited += entries.length
    const { isIgnored } = rules.at(folder, fact.resolved)
    for (const entry of entries) {
      const isFolder = entry.isDirectory()
      if (isIgnored(entry.name, isFolder)) continue
      const file = path.join(folder, entry.name)
      if (isFolder && recursive) folders.push(file)
      const mark = isFolder ? "/" : entry.isSymbolicLink() ? linkTarget(file) : ""
      if (listing.shown.length < shownEntries) listing.shown.push(display(file) + mark)
      else listing.leftOut++
    }
    yield* Effect.yieldNow
  }
  return listing
})

const render = (listing: Listing): string => {
  const notes: Array<string> = []
  if (listing.leftOut > 0) notes.push(`${listing.leftOut} more entries are not shown; list a folder further down.`)
  if (listing.notWalked > 0) {
    notes.push(
      `The walk stopped after ${visitedEntries} entries; ${listing.notWalked} folders were not walked to the end.`
    )
  }
  if (listing.unreadable > 0) notes.push(`Folders that could not be read: ${listing.unreadable}.`)
  const lines = listing.shown.length === 0 ? ["[No entries, but for ignored ones.]"] : listing.shown.toSorted()
  return [...lines, ...notes.map((note) => `[${note}]`)].join("\n")
}

const list = Effect.fnUntraced(function* (args: Parameters, fact: PathFact.PathFact, workspace: string) {
  if (fact.kind === "absent") return failure(`${args.path} does not exist. List the folder above it.`)
  if (fact.kind !== "directory") return failure(`${args.path} is not a folder. Read it with read_file.`)
  const listing = yield* walk(fact, workspace, args.recursive === true)
  return listing.unreadable === 1 && listing.visited === 0
    ? failure(`${args.path} could not be read (permission denied).`)
    : output(render(listing))
})

export const make = ({ home }: { readonly home: string }): Tool.Tool<Parameters> =>
  PathTool.reading({
    name: "list_files",
    description:
      "List a folder, or with recursive all of the tree under it. Folders end in /. Files ignored by .gitignore or .belayignore are left out.",
    parameters: Parameters,
    home,
    run: (args, fact, { workspace }) => list(args, fact, workspace)
  })
