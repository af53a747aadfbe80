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
import * as PathTool from "./PathTool.ts"
import * as PlainText from "./PlainText.ts"
import * as Walk from "./Walk.ts"

export const Parameters = Schema.Struct({
  path: Schema.String.annotate({ description: "Folder; . is the workspace" }),
  recursive: Schema.optionalKey(Schema.Boolean)
})
export type Parameters = typeof Parameters.Type

const shownEntries = 1000

const linkTarget = (file: string): string => {
  try {
    return ` -> ${PlainText.name(fs.readlinkSync(file))}`
  } catch {
    return ""
  }
}

interface Listing extends Walk.Walked {
  readonly shown: ReadonlyArray<string>
  readonly leftOut: number
}

const entriesOf = (fact: PathFact.PathFact, workspace: string, recursive: boolean): Effect.Effect<Listing> =>
  Effect.suspend(() => {
    const shown: Array<string> = []
    let leftOut = 0
    const display = (file: string) =>
      PlainText.name(fact.inside ? path.relative(workspace, file).replaceAll(path.sep, "/") : file)
    const walked = Walk.walk({
      top: fact.resolved,
      workspace,
      recursive,
      onEntry: (file, entry) => {
        const mark = entry.isDirectory() ? "/" : entry.isSymbolicLink() ? linkTarget(file) : ""
        if (shown.length < shownEntries) shown.push(display(file) + mark)
        else leftOut++
        return true
      }
    })
    return Effect.map(walked, (counts) => ({ ...counts, shown, leftOut }))
  })

const render = (listing: Listing): string => {
  const notes: Array<string> = []
  if (listing.leftOut > 0) notes.push(`${listing.leftOut} more entries are not shown; list a folder further down.`)
  if (listing.notWalked > 0) {
    notes.push(
      `The walk stopped after ${Walk.visitedEntries} entries; ${listing.notWalked} folders were not walked to the end.`
    )
  }
  if (listing.unreadable > 0) notes.push(`Folders that could not be read: ${listing.unreadable}.`)
  const lines = listing.shown.length === 0 ? ["[No entries, but for ignored ones.]"] : listing.shown.toSorted()
  return [...lines, ...notes.map((note) => `[${note}]`)].join("\n")
}

const list = Effect.fnUntraced(function* (args: Parameters, fact: PathFact.PathFact, workspace: string) {
  if (fact.kind === "absent") return failure(`${args.path} does not exist. List the folder above it.`)
  if (fact.kind !== "directory") return failure(`${args.path} is not a folder. Read it with read_file.`)
  const listing = yield* entriesOf(fact, workspace, args.recursive === true)
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
