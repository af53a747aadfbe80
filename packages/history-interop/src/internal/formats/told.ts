/**
 * A conversation as Roo Code and Zoo Code keep it: what was sent, and what people see of it.
 *
 * Each turn has a time of its own that grows, and what is seen of it begins at that time, because these programs cut both
 * logs at one time when a person goes back.
 */
import type { Message } from "../blocks.ts"
import * as Completion from "../completion.ts"
import { type Fields, fieldsOf, text } from "../fields.ts"

export interface Turn {
  readonly message: Message
  /** ms since 1970 */
  readonly at: number
}

/** What a request cost, and when. */
export interface Cost {
  readonly at: number
  readonly tokensIn: number
  readonly tokensOut: number
  readonly cacheReads: number
  readonly cacheWrites: number
  /** US dollars; null when it is not known. */
  readonly cost: number | null
}

interface Row {
  readonly type: "say" | "ask"
  readonly say?: string
  readonly ask?: string
  readonly text?: string
}

const wrapped = /<(?:task|user_message|feedback)>\s*(?<said>[\s\S]*?)\s*<\/(?:task|user_message|feedback)>/u
const surroundings = /<environment_details>[\s\S]*?<\/environment_details>/gu

/** The words of a person, without what their program put around them. */
export const words = (value: string): string => {
  const inner = wrapped.exec(value)?.groups?.["said"]
  return (inner ?? value.replaceAll(surroundings, "")).trim()
}

const say = (kind: string, value?: string): Row => ({
  type: "say",
  say: kind,
  ...(value === undefined ? {} : { text: value })
})
const ask = (kind: string, value: string): Row => ({ type: "ask", ask: kind, text: value })

/** The names that these programs show for their tools. */
const shown: Readonly<Record<string, string>> = {
  read_file: "readFile",
  write_to_file: "newFileCreated",
  apply_diff: "appliedDiff",
  apply_patch: "appliedDiff",
  replace_in_file: "editedExistingFile",
  edit_file: "editedExistingFile",
  search_files: "searchFiles",
  list_files: "listFilesTopLevel",
  new_task: "newTask",
  switch_mode: "switchMode"
}

const rowOfCall = (name: string, input: Fields): ReadonlyArray<Row> => {
  switch (name) {
    case Completion.tool:
      return [say("completion_result", text(input["result"]) ?? "")]
    case "execute_command":
      return [ask("command", text(input["command"]) ?? "")]
    case "ask_followup_question":
      return [ask("followup", JSON.stringify({ question: text(input["question"]) ?? "", suggest: [] }))]
    case "new_task": {
      const content = text(input["message"]) ?? ""
      return [ask("tool", JSON.stringify({ tool: "newTask", mode: text(input["mode"]) ?? "code", content }))]
    }
    default:
      return [ask("tool", JSON.stringify({ tool: shown[name] ?? name, ...input }))]
  }
}

const resultOf = (name: string | undefined, said: string): ReadonlyArray<Row> => {
  if (name === "execute_command") return [say("command_output", said)]
  return name === "new_task" && said !== "" ? [say("subtask_result", said)] : []
}

const rowsOf = ({ content, role }: Message, first: boolean, calls: Map<string, string>): ReadonlyArray<Row> =>
  content.flatMap((block): ReadonlyArray<Row> => {
    switch (block.type) {
      case "text": {
        const value = role === "user" ? words(block.text) : block.text
        return value === "" ? [] : [say(role === "user" && !first ? "user_feedback" : "text", value)]
      }
      case "thinking":
        return [say("reasoning", block.thinking)]
      case "tool_use":
        calls.set(block.id, block.name)
        return rowOfCall(block.name, fieldsOf(block.input))
      case "tool_result": {
        const said = block.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
        return resultOf(calls.get(block.tool_use_id), said)
      }
      default:
        return []
    }
  })

const costRow = ({ at: _, cost, ...tokens }: Cost): Row =>
  say("api_req_started", JSON.stringify({ ...tokens, ...(cost === null ? {} : { cost }) }))

export interface Logs {
  readonly sent: ReadonlyArray<object>
  readonly seen: ReadonlyArray<object>
}

/** Both logs. `last` is the ask that the program ends a task at rest with. */
export const logs = (turns: ReadonlyArray<Turn>, costs: ReadonlyArray<Cost>, last: string): Logs => {
  const sent: Array<object> = []
  const seen: Array<object> = []
  const calls = new Map<string, string>()
  const left = [...costs]
  let at = 0
  for (const [index, { at: told, message }] of turns.entries()) {
    at = Math.max(at + 1, told)
    sent.push({ role: message.role, content: message.content, ts: at })
    const spent = message.role === "assistant" ? left.splice(0, 1).map(costRow) : []
    for (const row of [...spent, ...rowsOf(message, index === 0, calls)]) seen.push({ ts: at++, ...row })
  }
  for (const cost of left) seen.push({ ts: ++at, ...costRow(cost) })
  seen.push({ ts: at + 1, type: "ask", ask: last })
  return { sent, seen }
}
