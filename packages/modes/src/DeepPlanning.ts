/**
 * Deep planning as four phases in order: look, discuss, write the plan down, hand it over to a task that carries it out.
 *
 * The phase belongs to the task and is stored with it, so a task that was stopped goes on in its phase. What the model
 * does moves it on, and nothing but a new version of the plan moves it back.
 */
import * as Schema from "effect/Schema"

/** Decodes the name of a phase. */
export const Phase = Schema.Literals(["investigation", "discussion", "document", "handOver"])
export type Phase = typeof Phase.Type

/** Lists the phases in their order. */
export const phases: ReadonlyArray<Phase> = Phase.literals

/** Gives what a message asks to be planned: the words after `/deep-planning`; nothing when it asks for no planning. */
export const asked = (message: string): string | undefined => {
  const words = /^\/deep-planning(?:\s+([\s\S]*))?$/u.exec(message.trim())
  if (words === null) return undefined
  const what = words[1]?.trim() ?? ""
  return what === "" ? "Ask what is to be planned." : what
}

/** From 1 to 4. */
export const numberOf = (phase: Phase): number => phases.indexOf(phase) + 1

/** `asked`: the user was asked something or shown something. `writing`: a plan is being saved. `saved`: it is there. */
export type Event = "asked" | "writing" | "saved"

/** The phase after an event; most events leave most phases as they are. */
export const after = (phase: Phase, event: Event): Phase => {
  switch (event) {
    case "asked":
      return phase === "investigation" ? "discussion" : phase
    case "writing":
      return "document"
    case "saved":
      return phase === "document" ? "handOver" : phase
  }
}

/** Says what a tool of deep planning needs; any other tool needs nothing of it. */
export const refusal = (phase: Phase | undefined, tool: string): string | undefined => {
  if (tool !== "save_plan" && tool !== "hand_over") return undefined
  if (phase === undefined) return `Tool '${tool}' is for deep planning, which the user starts with /deep-planning.`
  return tool === "hand_over" && phase !== "handOver"
    ? "There is no plan to hand over yet. Call save_plan first."
    : undefined
}

/** In the last phase a call of `new_task` hands over, as models are used to. */
export const read = (phase: Phase | undefined, tool: string): string =>
  phase === "handOver" && tool === "new_task" ? "hand_over" : tool

const notices: { readonly [P in Phase]: string } = {
  investigation: `silent investigation. Change nothing and say nothing: look until the picture is complete, such as with
list_files: recursive for what there is; pattern for the manifests, such as **/package.json, which you read
search_files: the types, functions and imports that it is about; TODO|FIXME|XXX|HACK; files_only when there are many
list_code_definition_names: what a folder defines
These leave out what is ignored, such as node_modules; find and grep in a command do not.
Then ask what is open with ask_followup_question, or go on with save_plan.`,
  discussion:
    "discussion. Ask few, targeted questions: ambiguous requirements, choices between valid approaches, assumptions about behaviour, technical preferences. Then call save_plan.",
  document: "the plan. Call save_plan with all its sections.",
  handOver: "hand over. The plan is saved. Call hand_over with the steps of its implementation."
}

/** Says how every notice begins. */
export const notePrefix = "[Deep planning, phase "

/** Gives what the model reads when a phase begins, and when a task goes on in it. */
export const notice = (phase: Phase): string =>
  `${notePrefix}${numberOf(phase)} of ${phases.length}: ${notices[phase]}]`
