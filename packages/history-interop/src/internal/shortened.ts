/**
 * Turns of a long log without their texts, for a look at what a task is: what is asked for first, calls that begin or end a
 * task, and all that tells of subtasks stay whole.
 */
import * as Completion from "./completion.ts"
import * as Delegation from "./delegation.ts"
import { type Fields, fieldsOf, isFields, text } from "./fields.ts"

/** Characters: a longer text is left out. */
const enough = 100

const leftOut = "…"

const cut = (value: unknown): unknown => {
  if (typeof value === "string") return value.length > enough ? leftOut : value
  if (Array.isArray(value)) return value.map(cut)
  return isFields(value) ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cut(inner)])) : value
}

const isTold = (words: string | undefined): boolean =>
  words !== undefined && (Delegation.isNotice.test(words) || words.includes('"newTask"'))

/** What people saw of a subtask, and results. */
const isSeen = ({ ask, say, text: words }: Fields): boolean =>
  say === "subtask_result" || say === "completion_result" || ask === "completion_result" || isTold(text(words))

const withCut = (value: Fields, name: string, inner: unknown): Fields => ({
  ...fieldsOf(cut({ ...value, [name]: null })),
  [name]: inner
})

/** Shortens the turns of one log, in their order; the first one stays. */
export const turns = (): ((value: unknown) => unknown) => {
  const calls = new Set<string>()
  let isFirst = true
  const blockOf = (block: unknown): unknown => {
    const { id, is_error, name, text: words, tool_use_id: answered, type } = fieldsOf(block)
    if (type === "tool_use") {
      if (typeof name !== "string" || (!Delegation.isTool(name) && name !== Completion.tool)) {
        return { type, id, name, input: {} }
      }
      calls.add(text(id) ?? "")
      return block
    }
    if (type === "tool_result") {
      return calls.has(text(answered) ?? "") ? block : { type, tool_use_id: answered, is_error, content: leftOut }
    }
    return type === "text" && isTold(text(words)) ? block : cut(block)
  }
  return (value) => {
    const isAsked = isFirst
    isFirst = false
    if (isAsked || !isFields(value)) return value
    const { content } = value
    if (!Array.isArray(content)) return isTold(text(content)) || isSeen(value) ? value : cut(value)
    return withCut(value, "content", content.map(blockOf))
  }
}

/** So many rows at the beginning stay: what was asked for is among them. */
const beginning = 64

/** The same of rows that hold a turn each, of Claude Code, or an item, of Codex. */
export const rows = (): ((value: unknown) => unknown) => {
  const shorten = turns()
  const calls = new Set<string>()
  let count = 0
  return (value) => {
    if (!isFields(value)) return value
    const { message, payload } = value
    const { call_id: call, name, output } = fieldsOf(payload)
    if (typeof name === "string" && Delegation.isTool(name)) calls.add(text(call) ?? "")
    const isWhole = calls.has(text(call) ?? "-") || Delegation.isHeard.test(text(output) ?? "")
    const short = isWhole ? value : isFields(message) ? withCut(value, "message", shorten(message)) : cut(value)
    return ++count <= beginning ? value : short
  }
}
