/**
 * The entry of the approvals with which a call would have run: the narrowest that there is, tried on the policy itself.
 *
 * What lies outside of the workspace is named by itself, never by all of the machine; a tool or resource of an MCP server
 * by its own key, never by one that stands for others. Where no such entry allows the call there is none.
 */
import { Approvals, type Decision } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import * as Explain from "./Explain.ts"

/** A part of the approvals, as `--approvals` and the settings take it. */
export type Entry = Partial<Record<"read" | "edit" | "delegate" | "fetch" | "modeSwitch", "allow">> & {
  readonly folders?: ReadonlyArray<string>
  readonly commands?: { readonly allow: ReadonlyArray<string> }
  readonly mcp?: Readonly<Record<string, "allow">>
  readonly tools?: Readonly<Record<string, "allow">>
}

const settings = new Set(["read", "edit", "delegate", "fetch", "modeSwitch"])

const textIn = (args: unknown, name: string): string | undefined => {
  const value: unknown =
    typeof args === "object" && args !== null ? Object.getOwnPropertyDescriptor(args, name)?.value : undefined
  return typeof value === "string" ? value : undefined
}

/** The key of this tool or resource and of no other; a star would stand for all of the server. */
export const mcpKey = (tool: string, args: unknown): string | undefined => {
  const [server, name] = [textIn(args, "server"), textIn(args, tool === "access_mcp_resource" ? "uri" : "tool")]
  if (server === undefined || name === undefined || name === "" || name === "*" || /^\*?$|[/:]/u.test(server)) {
    return undefined
  }
  return `${tool === "access_mcp_resource" ? "resource:" : ""}${server}/${name}`
}

/** The files and folders of a call that lie outside, each by itself; none where the root of the machine is among them. */
export const outside = ({ paths = [] }: Decision.Resolved, workspace: string): ReadonlyArray<string> => {
  const found = paths.filter((one) => {
    const relative = path.relative(workspace, one)
    return relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative)
  })
  return found.every((one) => Approvals.isApprovals({ ...Approvals.ask, folders: [one] })) ? found : []
}

type Judged = Pick<Decision.Decision, "rule" | "resolved">

/** What may help against the rule that asked. */
const against = (
  { resolved, rule }: Judged,
  { args, tool, workspace }: Explain.Question,
  commands: ReadonlyArray<string>
): Entry | undefined => {
  if (settings.has(rule)) return { [rule]: "allow" }
  switch (rule) {
    case "command.writes":
      return { edit: "allow" }
    case "path.folder":
      return { [resolved.writes === undefined ? "read" : "edit"]: "allow" }
    case "path.outside": {
      const folders = outside(resolved, workspace)
      return folders.length === 0 ? undefined : { folders }
    }
    case "mcp": {
      const key = mcpKey(tool, args)
      return key === undefined ? undefined : { mcp: { [key]: "allow" } }
    }
    case "tools":
      return tool === "*" ? undefined : { tools: { [tool]: "allow" } }
    default:
      return commands.length === 0 ? undefined : { commands: { allow: commands } }
  }
}

const union = (one: ReadonlyArray<string> = [], other: ReadonlyArray<string> = []) => [...new Set([...one, ...other])]

const joined = (one: Entry, other: Entry): Entry => ({
  ...one,
  ...other,
  ...(one.folders === undefined && other.folders === undefined ? {} : { folders: union(one.folders, other.folders) }),
  ...(one.commands === undefined && other.commands === undefined
    ? {}
    : { commands: { allow: union(one.commands?.allow, other.commands?.allow) } })
})

/** The approvals with an entry. */
export const widened = (approvals: Approvals.Approvals, entry: Entry): Approvals.Approvals => ({
  ...approvals,
  ...entry,
  ...(entry.folders === undefined ? {} : { folders: union(approvals.folders, entry.folders) }),
  commands: { ...approvals.commands, allow: union(approvals.commands.allow, entry.commands?.allow) },
  mcp: { ...approvals.mcp, ...entry.mcp },
  ...(entry.tools === undefined ? {} : { tools: { ...approvals.tools, ...entry.tools } })
})

/** A call may ask for a reason behind the first one. */
const most = 4

/** The entry for a call that asks; nothing where none allows it. */
export const of = Effect.fn("Entry.of")(function* (question: Explain.Question, first: Judged) {
  let entry: Entry = {}
  let judged = first
  for (let tried = 0; tried < most; tried++) {
    const approvals = widened(question.approvals, entry)
    const commands = yield* Explain.suggestions({ ...question, approvals })
    const next = against(judged, question, commands)
    if (next === undefined) return undefined
    entry = joined(entry, next)
    const found = yield* Explain.explain({ ...question, approvals: widened(question.approvals, entry) })
    if (found.decision === "allow") return entry
    judged = found
  }
  return undefined
})
