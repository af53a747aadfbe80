/** What the general setting of a tool's category says, where no path and no command decides. */
import * as Approvals from "./Approvals.ts"
import { allow, ask, deny, strictest, type Verdict, verdict } from "./Decision.ts"
import { targetOf } from "./internal/mcpTarget.ts"
import { quote } from "./internal/quote.ts"
import type { PolicyInput } from "./PolicyInput.ts"

/** A server can say something else each time it is asked: what nobody has approved asks, whatever the settings allow. */
const mcp = ({ approvals, args, facts }: PolicyInput): Verdict => {
  const target = targetOf(args, facts.mcp)
  if (target === undefined) return deny("invalid", "The call names no server, or no tool or resource of it.")
  const { kind, name, server } = target
  const missing = facts.mcp?.missing
  if (missing !== undefined) return deny("mcp.unknown", missing)
  const setting = (kind === "tool" ? Approvals.mcpSetting : Approvals.resourceSetting)(approvals, server, name)
  if (facts.mcp?.approved === false && setting !== "deny") {
    return ask("mcp.changed", `What ${quote(`${server}/${name}`)} says of itself is not what was approved.`)
  }
  const what = kind === "tool" ? "MCP calls of" : "Reads of the MCP resource"
  return verdict(setting, "mcp", `${what} ${quote(`${server}/${name}`)}: ${setting}.`, ["task", "always"])
}

/** An edit whose targets are not known is never allowed silently. */
const unknownEdit = (input: PolicyInput): Verdict => {
  const setting = strictest(input.approvals.edit, "ask")
  return verdict(setting, "edit", `Tool ${quote(input.tool)} does not say which files it edits.`, ["task"])
}

/** A tool of the host, by its name; the rules of its paths, its command and its address hold besides. */
const custom = ({ approvals, tool }: PolicyInput): Verdict => {
  const setting = Approvals.toolSetting(approvals, tool)
  return verdict(setting, "tools", `Calls of the tool ${quote(tool)}: ${setting}.`, ["task", "always"])
}

const general = (input: PolicyInput, category: "read" | "delegate" | "fetch" | "modeSwitch"): Verdict => {
  const setting = input.approvals[category]
  return verdict(setting, category, `Calls of the category ${category}: ${setting}.`, ["task"])
}

/** Undefined when the paths or the command of the call decide instead. */
export const judge = (input: PolicyInput): Verdict | undefined => {
  switch (input.category) {
    case "read":
      return input.facts.paths.length > 0 ? undefined : general(input, "read")
    case "edit":
      return input.facts.paths.some((fact) => fact.access === "write") ? undefined : unknownEdit(input)
    case "command":
      return input.facts.command === undefined ? deny("invalid", "The call names no command.") : undefined
    case "mcp":
      return mcp(input)
    case "custom":
      return custom(input)
    case "internal":
      return allow("internal", "The tool changes nothing but the task's own record.")
    default:
      return general(input, input.category)
  }
}

/** The master switch. */
export const enabled = ({ approvals }: PolicyInput): Verdict | undefined =>
  approvals.enabled ? undefined : ask("enabled", "Automatic approval is switched off.")
