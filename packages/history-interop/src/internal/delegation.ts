/** Calls for subtasks in a stored conversation, as tools or as tags, and what has come of each. */
import { type Block, type Message, said, type ToolResult, type ToolUse } from "./blocks.ts"
import { fieldsOf, text } from "./fields.ts"

export interface Delegation {
  /** Of the call in the log; empty for one that was written as tags. */
  readonly callId: string
  /** As the program had it. */
  readonly raw: string
  /** What was asked for. */
  readonly message: string
  /** ms since 1970 */
  readonly at: number
  /** `refused`: it has a result that tells of a failure or a stop. */
  readonly state: "open" | "answered" | "refused"
  /** What the result says. */
  readonly answer: string
}

/** The names that the programs give to the tool, and the field that says what is asked for. */
const tools: Readonly<Record<string, ReadonlyArray<string>>> = {
  new_task: ["message"],
  spawn_agent: ["task", "message", "prompt"],
  Task: ["prompt", "description"],
  Agent: ["prompt", "description"],
  task: ["prompt", "description"],
  subagent: ["prompt", "description"],
  start_subagent: ["task"]
}

/** The tools that begin a subtask. */
export const isTool = (name: string): boolean => Object.hasOwn(tools, name)

const messageOf = (name: string, input: unknown): string => {
  const fields = fieldsOf(input)
  const names = Object.hasOwn(tools, name) ? (tools[name] ?? []) : []
  return names.map((field) => text(fields[field])).find((words) => words !== undefined) ?? ""
}

/** Words that tell a parent of its subtasks. */
export const isNotice = /<task-notification>|<subagent|\bsubtasks?\b|\bnew_task\b/iu

/** What tells a parent of the end of a subtask: the result of a call that waits for it. */
export const isHeard = /"(?:completed|errored)"\s*:/u

const tags = /<new_task>[\s\S]*?<message>(?<message>[\s\S]*?)<\/message>[\s\S]*?<\/new_task>/u
/** It was begun and goes on beside its parent: what it comes to is a message. Codex answers with nothing but its id. */
const begun = /^async agent launched|(?:running|working) in the background|^\s*\{\s*"agent_id"\s*:/iu
const stopped = /interrupted before|was interrupted|not known whether|denied|did not begin/iu

const textOf = (block: ToolResult): string =>
  block.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")

/** What a result tells of its subtask. */
export const resultOf = (result: ToolResult | undefined): Pick<Delegation, "answer" | "state"> => {
  if (result === undefined) return { state: "open", answer: "" }
  const answer = textOf(result)
  const isRefused = result.is_error === true || (answer.length < 400 && stopped.test(answer)) || begun.test(answer)
  return { state: isRefused ? "refused" : "answered", answer }
}

interface Call {
  readonly raw: string
  readonly use: ToolUse
}

/** The calls of one answer. `after` is what was said after it. */
export const of = (
  content: ReadonlyArray<Block>,
  calls: ReadonlyArray<Call>,
  results: ReadonlyMap<string, ToolResult>,
  after: ReadonlyArray<Message>,
  at: number
): ReadonlyArray<Delegation> => {
  const asTools = calls.flatMap(({ raw, use }): ReadonlyArray<Delegation> =>
    isTool(use.name)
      ? [{ callId: use.id, raw, message: messageOf(use.name, use.input), at, ...resultOf(results.get(use.id)) }]
      : []
  )
  if (asTools.length > 0) return asTools
  const message = content.flatMap((block) =>
    block.type === "text" ? (tags.exec(block.text)?.groups?.["message"] ?? []) : []
  )
  return message.slice(0, 1).map((words): Delegation => {
    const answer = after
      .flatMap((one) => one.content.flatMap((block) => (block.type === "text" ? [block.text] : [])))
      .join("\n")
    const result: ToolResult | undefined =
      answer === "" ? undefined : { type: "tool_result", tool_use_id: "", content: [said(answer)] }
    return { callId: "", raw: "", message: words.trim(), at, ...resultOf(result) }
  })
}
