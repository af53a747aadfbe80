/**
 * What a path that leads nowhere was probably meant to name: an entry of that name elsewhere in the workspace, or one
 * that is spelled almost so.
 *
 * Guarantees: only what the task may read without asking anybody is named, and nothing that git or `.belayignore` leave
 * out; `node_modules` is not walked; what `Walk` bounds is bounded.
 */
import { PathResolver } from "@belay/approval-policy/facts"
import type { PathFact } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import type * as fs from "node:fs"
import * as path from "node:path"
import { isLike } from "../../internal/likeness.ts"
import type { ToolContext } from "../../tool/Tool.ts"
import * as PlainText from "../text/PlainText.ts"
import * as Walk from "./Walk.ts"

const shown = 3
/** Of one rank; more than are shown, because some may not be named. */
const kept = 20

export type Kind = "file" | "directory" | "either"

const isOf = (kind: Kind, entry: fs.Dirent): boolean =>
  kind === "either" ? entry.isFile() || entry.isDirectory() : kind === "file" ? entry.isFile() : entry.isDirectory()

/** The same name first, then one like it in the folder that was meant, then one like it anywhere. */
const rankOf = (file: string, wanted: string): number | undefined => {
  const name = path.basename(file)
  const meant = path.basename(wanted)
  if (name.toLowerCase() === meant.toLowerCase()) return 0
  if (!isLike(name, meant)) return undefined
  return path.dirname(file) === path.dirname(wanted) ? 1 : 2
}

/** By how well they match, the nearest to the root of the workspace first. */
const matching = Effect.fnUntraced(function* (wanted: string, workspace: string, kind: Kind) {
  const ranked: ReadonlyArray<Array<string>> = [[], [], []]
  const onEntry: Walk.Options["onEntry"] = (file, entry) => {
    const rank = isOf(kind, entry) ? rankOf(file, wanted) : undefined
    const found = rank === undefined ? undefined : ranked[rank]
    if (found !== undefined && found.length < kept) found.push(file)
    return entry.name !== "node_modules"
  }
  yield* Walk.walk({ top: workspace, workspace, recursive: true, onEntry })
  return ranked
})

export interface Options {
  /** What `~` stands for. */
  readonly home: string
  readonly kind: Kind
}

/** One line for the model; nothing when there is something at the path, or nothing to name. */
export const missing = (
  fact: PathFact.PathFact,
  { mayRead, workspace }: Pick<ToolContext, "mayRead" | "workspace">,
  { home, kind }: Options
): Effect.Effect<string | undefined> =>
  Effect.gen(function* () {
    if (fact.kind !== "absent" || fact.failure !== undefined || mayRead === undefined) return undefined
    const ranked = yield* matching(fact.displayed, workspace, kind)
    for (const files of ranked) {
      const names = files
        .map((file) => PathResolver.resolve(file, { workspace, home, access: "read" }))
        .filter(mayRead)
        .slice(0, shown)
        .map(({ relative }) => PlainText.name(relative))
      const last = names.at(-1)
      if (last === undefined) continue
      const before = names.slice(0, -1).join(", ")
      const there = before === "" ? `There is ${last}.` : `There are ${before} and ${last}.`
      return `${PlainText.name(fact.given)} does not exist. ${there}`
    }
    return undefined
  })
