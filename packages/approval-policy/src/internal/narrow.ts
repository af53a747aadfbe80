/** The meet of two settings, field by field; `Approvals.narrow` states the guarantee. */
import { isBelow } from "./isBelow.ts"
import type { Approvals, PathEntry, Setting } from "../Approvals.ts"
import { strictest } from "../Decision.ts"
import { ofKey } from "./mcpKeys.ts"
import { ofTool } from "./toolSettings.ts"

type Kind = "read" | "edit"

const both = (left: ReadonlyArray<string>, right: ReadonlyArray<string>) => left.filter((text) => right.includes(text))
const either = (left: ReadonlyArray<string>, right: ReadonlyArray<string>) => [...new Set([...left, ...right])]

export const commands = (child: Approvals["commands"], parent: Approvals["commands"]): Approvals["commands"] => ({
  allow: both(child.allow, parent.allow),
  deny: either(child.deny, parent.deny),
  other: strictest(child.other, parent.other),
  ...(child.readOnly === "ask" || parent.readOnly === "ask" ? { readOnly: "ask" as const } : {}),
  ...(child.checks === "allow" && parent.checks === "allow" ? { checks: "allow" as const } : {})
})

/** Left out it asks; said where a side says it. */
export const protectedNames = (child: Approvals, parent: Approvals): Pick<Approvals, "protected"> =>
  child.protected === undefined && parent.protected === undefined
    ? {}
    : { protected: child.protected === "allow" && parent.protected === "allow" ? "allow" : "ask" }

export const mcp = (child: Approvals["mcp"], parent: Approvals["mcp"]): Approvals["mcp"] =>
  Object.fromEntries(
    either(Object.keys(child), Object.keys(parent)).map((key) => [
      key,
      strictest(ofKey(child, key), ofKey(parent, key))
    ])
  )

/** Left out it asks; said where a side says it. */
export const tools = ({ tools: mine = {} }: Approvals, { tools: theirs = {} }: Approvals): Pick<Approvals, "tools"> => {
  const keys = either(Object.keys(mine), Object.keys(theirs))
  const meet = (key: string) => [key, strictest(ofTool(mine, key), ofTool(theirs, key))] as const
  return keys.length === 0 ? {} : { tools: Object.fromEntries(keys.map(meet)) }
}

const entrySetting = (entries: ReadonlyArray<PathEntry>, pattern: string, kind: Kind): Setting | undefined =>
  entries
    .filter((entry) => entry.pattern === pattern)
    .flatMap((entry) => entry[kind] ?? [])
    .reduce<Setting | undefined>((worst, next) => (worst === undefined ? next : strictest(worst, next)), undefined)

/**
 * Whether two patterns overlap is not decided. An entry that only one side has is capped by the general setting of the
 * other side: where no entry of that side matches, its general setting is what holds, and where one does, that entry is
 * in the result as well and the strictest of the matching ones counts.
 */
export const paths = (child: Approvals, parent: Approvals): ReadonlyArray<PathEntry> => {
  const meet = (pattern: string, kind: Kind): Setting | undefined => {
    const mine = entrySetting(child.paths, pattern, kind)
    const theirs = entrySetting(parent.paths, pattern, kind)
    return mine === undefined && theirs === undefined
      ? undefined
      : strictest(mine ?? child[kind], theirs ?? parent[kind])
  }
  const patterns = [...child.paths, ...parent.paths].map((entry) => entry.pattern)
  return [...new Set(patterns)].map((pattern) => {
    const read = meet(pattern, "read")
    const edit = meet(pattern, "edit")
    return { pattern, ...(read === undefined ? {} : { read }), ...(edit === undefined ? {} : { edit }) }
  })
}

/** The folders of either that the other has, or one above it. */
export const folders = (child: Approvals, parent: Approvals): Pick<Approvals, "folders"> => {
  const [mine, theirs] = [child.folders ?? [], parent.folders ?? []]
  const both = [
    ...mine.filter((folder) => theirs.some((above) => isBelow(folder, above))),
    ...theirs.filter((folder) => mine.some((above) => isBelow(folder, above)))
  ]
  return both.length === 0 ? {} : { folders: [...new Set(both)] }
}
