/** An explanation as a line for programs, and in words: what would happen, why, and what to add. */
import { type Decision, ProtectedPath } from "@belay/approval-policy"
import { Copy, Words } from "@belay/interaction"
import * as Entry from "./Entry.ts"
import type { Explanation, Question } from "./Explain.ts"

const word = (sandbox: Explanation["sandbox"]) => (sandbox._tag === "Confined" ? "confined" : "unavailable")

const sandboxLine = ({ network, sandbox }: Explanation): string =>
  sandbox._tag === "Confined"
    ? `Sandbox: ${sandbox.by}, network ${network === undefined ? "off" : `to ${network.join(", ")} only`}, for commands that run without asking`
    : `Sandbox: none. ${Words.printable(sandbox.reason)}`

export const line = ({ decision, hooks, network, reason, resolved, rule, sandbox }: Explanation): string =>
  `${JSON.stringify({ decision, rule, reason, resolved, sandbox: word(sandbox), network, hooks })}\n`

const verbs = { allow: "It would run without asking.", ask: "It would ask.", deny: "It would be denied." } as const

const json = (value: string): string => Words.printable(JSON.stringify(value))

const always = "Nothing can be added: it always asks."

/** What the settings could say, by the rule that decided. */
const advice = (
  { args, approvals, tool, workspace }: Question,
  { decision, resolved, rule }: Explanation,
  entries: ReadonlyArray<string>
): string => {
  const [file = ""] = resolved.writes ?? resolved.paths ?? []
  const [kind, name = ""] = rule.split(".")
  if (decision === "allow") return ""
  if (
    rule === "commands.other" ||
    rule === "commands.checks" ||
    rule === "command.opaque" ||
    rule === "command.remote"
  ) {
    if (entries.length === 0) return "No entry can allow it."
    // An exact entry of the settings holds in no folder by itself.
    if (entries.some((entry) => entry.startsWith("="))) return "No entry can allow it. When it asks, allow it always."
    return `To allow it, add to commands.allow: ${entries.map(json).join(", ")}`
  }
  switch (rule) {
    case "edit":
    case "command.writes":
      return `To allow it, add to paths an entry for the file with "edit": "allow", or set "edit": "allow".`
    case "sandbox":
      return 'Install a sandbox, or set "sandbox" to preferred: belay config set sandbox preferred.'
    case "path.protected":
      return tool !== "execute_command" && ProtectedPath.match(file, "write")?.executed === true
        ? 'To allow it, set "protected": "allow" and "edit": "allow".'
        : always
    case "path.ignored":
      return "Take it out of .belayignore."
    case "command.git":
      return "Take these settings out of the repository, or allow it when it is asked."
    case "path.outside":
      return outsideAdvice(resolved, workspace, tool)
    case "path.pattern":
      return `An entry of paths decides for ${json(file)}: change it.`
    case "commands.deny":
      return "An entry of commands.deny stops it: deny beats allow."
    case "mode.plan":
      return tool === "use_mcp_tool"
        ? `Switch the task to act mode, or mark the tool in mcp.json as one that only reads: "tools": { ${json(nameIn(args))}: "readOnly" }.`
        : "Switch the task to act mode."
    case "mcp.changed":
      return "Look at what it says of itself now, and approve it: belay mcp test NAME."
    case "mcp.unknown":
      return "Switch it on in mcp.json."
    case "enabled":
      return approvals.enabled ? "" : 'Set "enabled": true.'
    case "mcp":
      return mcpAdvice(tool, args)
    case "tools":
      return `To allow it, add to tools: ${json(tool)}: "allow".`
    case "read":
    case "delegate":
    case "fetch":
    case "modeSwitch":
      return `To allow it, set "${rule}": "allow".`
    case "invalid":
      return "Correct the call."
    default:
      return kind === "floor" || name === "secret" ? always : "No setting allows it without asking."
  }
}

const field = (args: unknown, name: string): string => {
  const value: unknown =
    typeof args === "object" && args !== null ? Object.getOwnPropertyDescriptor(args, name)?.value : undefined
  return typeof value === "string" ? value : "*"
}

const nameIn = (args: unknown): string => `${field(args, "server")}/${field(args, "tool")}`

/** A key for this alone; one with a star would be for all of the server. */
const mcpAdvice = (tool: string, args: unknown): string => {
  const key = Entry.mcpKey(tool, args)
  return key === undefined
    ? "No entry names this alone. When it asks, allow it."
    : `To allow it, add to mcp: ${json(key)}: "allow".`
}

/** Each by itself; the setting for all of the machine is the last resort. */
const outsideAdvice = (resolved: Decision.Resolved, workspace: string, tool: string): string => {
  const folders = Entry.outside(resolved, workspace)
  const isWritten = resolved.writes !== undefined
  if (isWritten && tool === "execute_command") return always
  return folders.length === 0
    ? `Only "${isWritten ? "editOutside" : "readOutside"}": "allow" allows it, for all of this machine.`
    : `To allow it, add to folders: ${folders.map(json).join(", ")}${isWritten ? ', and set "edit": "allow"' : ""}.`
}

const list = (name: string, values: ReadonlyArray<string> | undefined): ReadonlyArray<string> =>
  values === undefined ? [] : [`${name}: ${values.map(Words.printable).join(", ")}`]

export const forPeople = (question: Question, explanation: Explanation, entries: ReadonlyArray<string>): string => {
  const { decision, reason, resolved, rule } = explanation
  return [
    verbs[decision],
    `Why: ${Copy.because({ reason, rule })}`,
    ...list("Programs", resolved.programs),
    ...list("Files", resolved.paths),
    ...list("Writes", resolved.writes),
    ...list("Hooks that are asked before it runs", explanation.hooks),
    ...(question.tool === "execute_command" ? [sandboxLine(explanation)] : []),
    advice(question, explanation, entries),
    ""
  ]
    .filter((text, index, all) => text !== "" || index === all.length - 1)
    .join("\n")
}
