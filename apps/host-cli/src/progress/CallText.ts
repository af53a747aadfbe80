/** A call of a tool as people read it: what it does to what, and how it ended. What others wrote is printable. */
import type { Event } from "@belay/history-store"
import { CallEnd, Transcript, Words } from "@belay/interaction"

type Finished = Extract<Event.StoredEvent, { readonly type: "tool.finished" }>

/** What a tool does, before what it does it to; a command has the sign of a prompt. */
const verbs: Readonly<Record<string, string>> = {
  execute_command: "$",
  read_command_output: "Read output",
  read_file: "Read",
  list_files: "List",
  list_code_definition_names: "Outline",
  search_files: "Search",
  write_to_file: "Write",
  replace_in_file: "Edit",
  apply_patch: "Edit",
  fetch_url: "Fetch",
  new_task: "Start a subtask:",
  wait_for_tasks: "Wait for subtasks",
  ask_followup_question: "Ask:",
  plan_mode_respond: "Plan",
  save_plan: "Save the plan",
  use_mcp_tool: "Use",
  access_mcp_resource: "Read"
}

/** What a call is about, in one line. */
const subjectOf = (args: unknown): string => Words.printable(Transcript.subjectOf(args))

/** `subject`: printable, what the call is about. */
export const named = (name: string, subject: string): string =>
  `${verbs[name] ?? Words.printable(name)} ${subject}`.trimEnd()

export const begun = (name: string, args: unknown): string => named(name, subjectOf(args))

export interface Ended {
  readonly state: CallEnd.Ended
  /** How, in few words; may be empty. */
  readonly how: string
}

const longest = 160

const sentence = (text: string): string => {
  const [line = ""] = text.trim().split("\n")
  const [first = line] = /^.*?[.!?](?=\s|$)/u.exec(line) ?? []
  const said = Words.printable(first.replace(/[.:\s]+$/u, ""))
  return said.length <= longest ? said : `${said.slice(0, longest)}…`
}

/** The last line of a command's result says how it ended. */
export const exitOf = (text: string): string | undefined => /(?:^|\n)exit code (\d+)$/u.exec(text.trimEnd())?.[1]

/** `began`: it had started to run. */
export const ended = (event: Finished, began: boolean): Ended => {
  const state = CallEnd.endOf(event, began)
  const text = event.result.map((block) => (block.type === "text" ? block.text : "")).join("\n")
  const exit = event.name === "execute_command" ? exitOf(text) : undefined
  if (state === "unknown") return { state, how: "it is not known whether it finished" }
  if (exit !== undefined && (state === "done" || state === "failed")) return { state, how: `exit ${exit}` }
  if (state === "done") return { state, how: "" }
  const why =
    state === "denied"
      ? sentence(text.replace(/^Not run: (?:denied, because )?/u, ""))
      : state === "failed"
        ? sentence(text)
        : ""
  return { state, how: [CallEnd.endings[state], why].filter((part) => part !== "").join(": ") }
}
