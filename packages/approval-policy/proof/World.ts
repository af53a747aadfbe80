/** The workspace of the box, as the policy sees it and as the box builds it: the same table serves both. */
import { Approvals, type CommandFact, type PathFact, type PolicyInput } from "@belay/approval-policy"
import { read } from "@belay/approval-policy/shell"
import * as path from "node:path"
import picomatch from "picomatch"
import { canary, entries, home, workspace } from "./Entries.ts"

const kinds = new Map(entries.map((entry) => [entry.path, entry]))

/** Follows the links of the table in every component. */
const follow = (file: string, budget = 8): string => {
  let found = ""
  const parts = file.split("/").filter((part) => part !== "")
  for (const [index, part] of parts.entries()) {
    const next = path.posix.join(found === "" ? "/" : found, part)
    const link = part === ".." ? undefined : kinds.get(next)?.link
    if (link !== undefined && budget > 0) {
      return follow(
        [path.posix.resolve(path.posix.dirname(next), link), ...parts.slice(index + 1)].join("/"),
        budget - 1
      )
    }
    found = next
  }
  return found === "" ? "/" : found
}

const isInside = (file: string): boolean => file === workspace || file.startsWith(`${workspace}/`)

const factOf = (given: string, folder: string, access: PathFact.PathFact["access"]): PathFact.PathFact => {
  const whole = given.startsWith("/") ? given : `${folder}/${given}`
  const displayed = path.posix.resolve(whole)
  // The links go first: `link/..` is the parent of what the link leads to.
  const resolved = follow(whole.replace(/\/+$/, ""))
  const entry = kinds.get(resolved)
  const inside = isInside(displayed) && isInside(resolved)
  return {
    given,
    displayed,
    resolved,
    access,
    inside,
    kind:
      entry === undefined
        ? resolved === workspace
          ? "directory"
          : "absent"
        : entry.content === undefined
          ? "directory"
          : "file",
    links: 1,
    insensitive: false,
    relative: inside ? path.posix.relative(workspace, resolved) : ""
  }
}

/** Of what lies in a folder, the links and the names with blanks. */
const lying = (folder: string): PathFact.Below => {
  const inside = entries.filter(({ path: file }) => file.startsWith(folder === "/" ? "/" : `${folder}/`))
  const outside = inside.find(({ link }) => link !== undefined && !isInside(link))?.path
  const strange = inside.find(({ path: file }) => /\s/.test(file))?.path
  return { ...(outside === undefined ? {} : { outside }), ...(strange === undefined ? {} : { strange }) }
}

/** All names, those below a link too. */
const names = entries.flatMap(({ link, path: file }) => [
  file,
  ...(link === undefined
    ? []
    : entries.filter((other) => other.path.startsWith(`${link}/`)).map((other) => file + other.path.slice(link.length)))
])

/** What stands before the first pattern is a folder, and leads where its links and its `..` lead. */
const expand = (pattern: string, folder: string): ReadonlyArray<string> => {
  const parts = (pattern.startsWith("/") ? pattern : `${folder}/${pattern}`).split("/")
  const first = parts.findIndex((part) => /(?<!\\)[*?]/.test(part))
  const before = follow(parts.slice(0, Math.max(first, 0)).join("/"))
  const whole = [before.replace(/\/$/, ""), ...parts.slice(Math.max(first, 0))].join("/")
  const found = names.filter((file) => picomatch.isMatch(file, whole, { dot: false, nobrace: true, noextglob: true }))
  return found.length === 0 ? [pattern.replace(/\\(.)/g, "$1")] : found
}

const cwd: PathFact.PathFact = { ...factOf(".", workspace, "read"), kind: "directory", links: 2 }

const command = (text: string): CommandFact.CommandFact => {
  const reading = read(text, { home, folder: workspace })
  const files = reading.targets.map(({ below, glob, path: given, role }) =>
    given === null
      ? []
      : (glob ? expand(given, workspace) : [given]).map((file) => {
          const access = role === "read" || role === "mention" || role === "program" ? "read" : "write"
          const fact = factOf(file, workspace, access)
          const whole = below !== undefined && fact.kind === "directory" ? { below: lying(fact.resolved) } : {}
          return { ...fact, ...whole, ...(glob ? { matched: true as const } : {}) }
        })
  )
  return { text, cwd, reading, files }
}

/** Programs that the rules allow: readers, filters, those that change files, and wrappers. */
const rules =
  "ls cat head tail wc sort uniq cut tr grep find sed awk diff cmp stat file du echo printf pwd cd test [ true false basename dirname realpath xargs mkdir touch cp mv rm tee comm paste nl tac od seq env timeout nice tar git date id readlink ln rev fold sha256sum base64 shuf expand join".split(
    " "
  )

const approvals: Approvals.Approvals = { ...Approvals.edits, commands: { allow: rules, deny: [], other: "ask" } }

export const inputOf = (text: string, settings: Approvals.Approvals = approvals): PolicyInput.PolicyInput => ({
  tool: "execute_command",
  category: "command",
  args: { command: text },
  mode: "act",
  readOnly: false,
  approvals: settings,
  facts: { paths: [], command: command(text) },
  workspace,
  known: true
})

export { canary }
