/**
 * How a call that runs a command stands to the sandbox: what is there, what the task wants, and what follows.
 *
 * Pure. A command that the rules allow runs confined where it can; one that a person approved runs as it was asked.
 */
import { Decision } from "@belay/approval-policy"

/** Describes what a task wants: `required` asks where there is no sandbox, `preferred` lets the rules alone decide there. */
export type Setting = "required" | "preferred" | "off"

/** The setting where a task names none: confine a command where there is a sandbox. */
export const defaultSetting: Setting = "preferred"

/** Names what builds the box. */
export type By = "bubblewrap" | "seatbelt"

/** Says where a confined command writes besides the project, in words: bubblewrap gives it a /tmp of its own, seatbelt none. */
export const temporary = (by: By): ReadonlyArray<string> => (by === "seatbelt" ? ["$TMPDIR (not /tmp)"] : [])

/** Describes what a trivial command in the box has shown. */
export type State =
  | { readonly _tag: "Confined"; readonly by: By }
  /** One plain sentence. */
  | { readonly _tag: "Unavailable"; readonly reason: string }

/** Says how a command runs: in the box; without one, because there is none, it is off, or a person approved the command. */
export type Confinement = "confined" | "unavailable" | "off" | "approved"

/** Nothing for a call that runs no command. */
export const of = (
  decision: Decision.Decision,
  state: State | undefined,
  setting: Setting = defaultSetting
): Confinement | undefined => {
  if (state === undefined) return undefined
  if (decision.decision !== "allow") return "approved"
  if (setting === "off") return "off"
  return state._tag === "Confined" ? "confined" : "unavailable"
}

/** The decision with the state of the sandbox among its facts; it asks where a sandbox is required and there is none. */
export const judge = (
  decision: Decision.Decision,
  state: State | undefined,
  setting: Setting = defaultSetting
): Decision.Decision => {
  if (state === undefined) return decision
  const sandbox = state._tag === "Confined" ? ("confined" as const) : ("unavailable" as const)
  const shown = { ...decision, resolved: { ...decision.resolved, sandbox } }
  if (decision.decision !== "allow" || setting !== "required" || state._tag === "Confined") return shown
  return { ...shown, ...Decision.ask("sandbox", `A sandbox is required, and there is none. ${state.reason}`) }
}
