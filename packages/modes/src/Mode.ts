/**
 * The mode of a task and what each tool may do in it, as data.
 *
 * In plan mode nothing that may change something runs, whatever a tool calls itself: only the tools of this table and
 * those that change nothing. What the mode lets run may still be denied or asked for by the approval policy. The model is
 * told of the same tools in both modes, so that a switch changes nothing of what it was sent.
 */
import * as Schema from "effect/Schema"

/** Decodes the mode of a task: `plan` looks and plans, `act` changes things. */
export const Mode = Schema.Literals(["plan", "act"])
export type Mode = typeof Mode.Type

/** Says what a tool can do. The values are those of the approval policy. */
export type Category = "read" | "edit" | "command" | "mcp" | "delegate" | "fetch" | "modeSwitch" | "internal" | "custom"

/** Describes a tool as far as its mode is concerned. */
export interface Tool {
  readonly name: string
  readonly category: Category
  /** What the tool says of itself; of an MCP tool it is not believed. */
  readonly readOnly: boolean
  readonly readOnlyMarkedByUser?: boolean
  /** The policy says of each call whether the mode allows it, as it does of commands. */
  readonly judgedByCall?: boolean
}

/** `whenReadOnly`: yes for a tool that changes nothing; for an MCP tool only the user's own mark counts. */
export type Rule = "yes" | "no" | "whenReadOnly"

/** States the rule of a tool in each mode. */
export interface Capability {
  readonly plan: Rule
  readonly act: Rule
}

const both: Capability = { plan: "yes", act: "yes" }
const planOnly: Capability = { plan: "yes", act: "no" }
const actOnly: Capability = { plan: "no", act: "yes" }
const harmlessInPlan: Capability = { plan: "whenReadOnly", act: "yes" }

/** Holds what a category may do. A command may be called in plan mode because the policy proves it read-only, or denies it. */
export const categories: { readonly [C in Category]: Capability } = {
  read: harmlessInPlan,
  edit: actOnly,
  command: both,
  mcp: harmlessInPlan,
  delegate: actOnly,
  fetch: harmlessInPlan,
  modeSwitch: harmlessInPlan,
  internal: harmlessInPlan,
  custom: harmlessInPlan
}

/** Tools of the engine, which act on the task and not on the workspace. A name never lifts a rule of edit, mcp or custom. */
export const names: ReadonlyMap<string, Capability> = new Map([
  ["plan_mode_respond", planOnly],
  ["save_plan", planOnly],
  ["hand_over", planOnly],
  ["switch_mode", planOnly],
  ["new_task", actOnly],
  ["attempt_completion", actOnly],
  ["ask_followup_question", both],
  ["load_skill", both],
  ["list_tasks", both],
  ["wait_for_tasks", both],
  ["read_command_output", both],
  ["stop_command", both]
])

const nameless: ReadonlySet<Category> = new Set(["edit", "mcp", "custom"])

/** Returns the rules of a tool: those of its name, otherwise those of its category. */
export const capability = (tool: Tool): Capability =>
  (nameless.has(tool.category) ? undefined : names.get(tool.name)) ?? categories[tool.category]

/** `ask`: every call of it is put to the user before anything else may allow it. */
export type Availability = "offered" | "refused" | "ask"

/** The settings that change what plan mode allows. */
export interface Options {
  /** Default true. False turns what plan mode refuses into a question; it never allows silently. */
  readonly strictPlanMode?: boolean
  /** The task plans in phases: it may save its plan and hand it over. */
  readonly deepPlanning?: boolean
  /** The user lets the model ask for a switch to act mode. */
  readonly mayAskToSwitch?: boolean
}

/** Tools that are told of only where they are of use; a call of them anyway is answered by the engine. */
const ofDeepPlanning = new Set(["save_plan", "hand_over"])

/** Gives what the mode says of a call of a tool, at its execution. */
export const availability = (mode: Mode, tool: Tool, options: Options = {}): Availability => {
  if (tool.judgedByCall === true) return "offered"
  const rule = capability(tool)[mode]
  const harmless = tool.category === "mcp" ? tool.readOnlyMarkedByUser === true : tool.readOnly
  if (rule === "yes" || (rule === "whenReadOnly" && harmless)) return "offered"
  return mode === "plan" && options.strictPlanMode === false ? "ask" : "refused"
}

/** The tools that the model is told of, in either mode. */
export const offered = <T extends Tool>(tools: ReadonlyArray<T>, options: Options = {}): ReadonlyArray<T> =>
  tools.filter(
    ({ name }) =>
      (options.deepPlanning === true || !ofDeepPlanning.has(name)) &&
      (options.mayAskToSwitch === true || name !== "switch_mode")
  )

/** Of these the ones that can be called in a mode. */
export const usable = <T extends Tool>(mode: Mode, tools: ReadonlyArray<T>, options: Options = {}): ReadonlyArray<T> =>
  offered(tools, options).filter((tool) => availability(mode, tool, options) !== "refused")

/** Gives what the model reads when it calls a tool that the mode refuses; it is pointed to nothing that it cannot call. */
export const refusal = (mode: Mode, name: string, { mayAskToSwitch = false }: Options = {}): string => {
  if (mode === "act") return `Not run: ${name} is for plan mode. Do the work, and finish with attempt_completion.`
  const next = mayAskToSwitch ? ", or ask for act mode with switch_mode." : "; the user switches to act mode."
  return `Not run: ${name} is for act mode. Present the plan with plan_mode_respond${next}`
}
