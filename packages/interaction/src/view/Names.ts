/** Entries as they are called: who and what. */
import type { Item } from "./Items.ts"
import * as items from "./Items.ts"

/** Says who has said something. */
export const speakers = {
  you: "You",
  assistant: "Assistant",
  report: "Report of a subtask",
  notice: "Notice to the model"
} as const

/** Says how a task ended. */
export const outcomes = { succeeded: "Done", failed: "Failed", cancelled: "Cancelled" } as const

/** Says how far a call is. */
export const callStates = {
  requested: "Waits",
  running: "Running",
  done: "Done",
  failed: "Failed",
  denied: "Denied",
  timedOut: "Timed out",
  stopped: "Stopped",
  unknown: "Outcome not known"
} as const

/** Tools by what they do. */
export const tools: Readonly<Record<string, string>> = {
  execute_command: "Run",
  read_file: "Read",
  write_to_file: "Write",
  replace_in_file: "Edit",
  apply_patch: "Edit",
  search_files: "Search",
  list_files: "List",
  list_code_definition_names: "Outline",
  wait_for_tasks: "Wait for subtasks",
  save_plan: "Save the plan"
}

/** Holds what was asked; any other kind is a question. */
export const asks: Readonly<Record<string, string>> = { plan: "Plan", completion: "Result" }

/** An entry in a few words, for its heading and for screen readers. */
export const name = (item: Item): string => {
  if (item.kind === "reads") return items.summary(item.calls)
  const { row } = item
  switch (row.kind) {
    case "said":
      return speakers[row.by]
    case "thinking":
      return "Thinking"
    case "call":
      return `${tools[row.name] ?? row.name} ${row.subject.slice(0, 80)}, ${callStates[row.state].toLowerCase()}`
    case "subtasks":
      return "Subtasks"
    case "question":
      return asks[row.ask] ?? "Question"
    case "note":
    case "checkpoint":
    case "restored":
      return row.text.slice(0, 80)
    case "result":
      return outcomes[row.outcome]
  }
}
