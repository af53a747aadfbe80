/**
 * What stands in the root of a workspace, in one line: `README.md package.json src/ (12)`, with how much is in each folder.
 *
 * What git or `.belayignore` leave out is left out, links are not followed, and names cannot break the line.
 */
import * as Effect from "effect/Effect"
import type * as fs from "node:fs"
import * as path from "node:path"
import { figure } from "../../internal/figure.ts"
import * as PlainText from "../text/PlainText.ts"
import * as Walk from "./Walk.ts"

const mostNames = 60
const longest = 1000

const shown = (name: string): string => {
  const text = PlainText.name(name).replaceAll("<", "‹")
  return /[\s"]/u.test(text) ? `"${text}"` : text
}

const shortened = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  let room = longest
  const kept = names.slice(0, mostNames).filter((name) => (room -= name.length + 1) >= 0)
  return kept.length === names.length ? names : [...kept, `and ${figure(names.length - kept.length)} more`]
}

/** Empty where there is nothing, or nothing can be read. */
export const line = (workspace: string): Effect.Effect<string> =>
  Effect.gen(function* () {
    const top: Array<fs.Dirent> = []
    const below = new Map<string, number>()
    yield* Walk.walk({
      top: workspace,
      workspace,
      recursive: true,
      onEntry: (file, entry) => {
        const folder = path.dirname(file)
        if (folder !== workspace) {
          below.set(folder, (below.get(folder) ?? 0) + 1)
          return false
        }
        top.push(entry)
        return true
      }
    })
    const names = top.map((entry) =>
      entry.isDirectory()
        ? `${shown(entry.name)}/ (${figure(below.get(path.join(workspace, entry.name)) ?? 0)})`
        : shown(entry.name)
    )
    return shortened(names).join(" ")
  })
