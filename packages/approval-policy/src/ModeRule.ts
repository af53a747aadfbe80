/**
 * Plan mode changes nothing (rule `mode.plan`): no edit, no command but one that only reads, no MCP call but of
 * a tool that the user has marked as read-only, no child, no completion. No approval setting widens it, and a model that
 * asks for act mode always asks a person.
 */
import type { CommandFact } from "./CommandFact.ts"
import * as CommandRule from "./CommandRule.ts"
import { allow, ask, deny, type Verdict } from "./Decision.ts"
import { quote } from "./internal/quote.ts"
import type { PolicyInput } from "./PolicyInput.ts"

const readOnlyCommand = ({ facts }: PolicyInput): boolean =>
  facts.command !== undefined && CommandRule.isReadOnly(facts.command) && (facts.command.gitPrograms ?? []).length === 0

/** Whether the call may change something, by its category, its name or the paths it would write. */
const changes = (input: PolicyInput): boolean => {
  // The plan itself, in a file of a fixed name: the rules of edits decide on it.
  const savesPlan = input.tool === "save_plan" && input.category === "internal"
  if (!savesPlan && input.facts.paths.some((fact) => fact.access === "write")) return true
  if (input.facts.command !== undefined && !readOnlyCommand(input)) return true
  switch (input.category) {
    case "command":
      return input.facts.command === undefined
    case "read":
    case "custom":
      return !input.readOnly
    case "internal":
      return input.tool === "attempt_completion"
    case "mcp":
      return input.facts.mcp?.readOnly !== true
    case "fetch":
    case "modeSwitch":
      return false
    default:
      return true
  }
}

/** What of a command may change something, as it is written. */
const culprit = ({ gitPrograms = [], reading, text }: CommandFact): string => {
  if (reading.form !== "plain") return `it cannot be told what ${quote(text)} does: ${reading.why}`
  const action = reading.actions.find(({ readOnly }) => !readOnly)
  const words = action?.argv.filter((word) => word !== null) ?? []
  const shown = quote(words.length === 0 || reading.actions.length === 1 ? text : words.join(" "))
  return action === undefined && gitPrograms.length > 0
    ? `settings of the repository make git run programs: ${gitPrograms.slice(0, 3).map(quote).join(", ")}`
    : `${shown} may change something`
}

const why = ({ category, facts: { command }, tool }: PolicyInput): string => {
  if (command !== undefined) {
    return `In plan mode only commands that change nothing run (git log, ls, rg ...), and ${culprit(command)}.`
  }
  return category === "mcp"
    ? "In plan mode only those tools of servers run that the user has marked as reading only."
    : `${quote(tool)} may change something, and in plan mode nothing is changed.`
}

/** Undefined in act mode, where the mode has nothing to say. */
export const judge = (input: PolicyInput): Verdict | undefined => {
  if (input.mode === "act") return undefined
  if (input.category === "modeSwitch") return ask("mode.switch", "Only you switch a task to act mode.")
  if (!changes(input)) return allow("mode.plan", "Plan mode allows what changes nothing.")
  return input.strictPlanMode === false ? ask("mode.plan", why(input)) : deny("mode.plan", why(input))
}
