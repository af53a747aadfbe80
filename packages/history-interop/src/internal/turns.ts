/** Turns of a stored conversation: who said what, when, and whether the model was still shown it. */
import { type Block, blocksOf, type Message, thought, thoughts } from "./blocks.ts"
import { fieldsOf, isFields, listOf, momentOf } from "./fields.ts"

export interface Turn {
  /** ms since 1970 */
  readonly at: number | undefined
  readonly role: Message["role"]
  readonly blocks: ReadonlyArray<Block>
  readonly hidden: boolean
}

const roles: Readonly<Record<string, Message["role"]>> = { user: "user", assistant: "assistant", tool: "user" }

/** What a model thought, where a service has it beside the blocks. */
const besides = (value: Readonly<Record<string, unknown>>, blocks: ReadonlyArray<Block>): ReadonlyArray<Block> => {
  const isThought = blocks.some(
    (block) => block.type === "thinking" || (block.type === "text" && block.text.startsWith("[thought] "))
  )
  if (isThought) return []
  const summary = value["type"] === "reasoning" ? value["summary"] : undefined
  return thought(thoughts(value["reasoning_content"] ?? value["reasoning_details"] ?? summary))
}

/** A turn of a stored value; nothing when it is no message. */
export const turnOf = (value: unknown, hidden: boolean): Turn | undefined => {
  if (!isFields(value)) return undefined
  const role = value["type"] === "reasoning" ? "assistant" : roles[String(value["role"])]
  if (role === undefined) return undefined
  const blocks = blocksOf(value["content"])
  const all = role === "assistant" ? [...besides(value, blocks), ...blocks] : blocks
  return { at: momentOf(value["ts"]), role, blocks: all, hidden }
}

/** Of a log that cannot be read: the words that people saw, without any call. */
export const turnsOfWords = (events: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
  listOf(events).flatMap((event, index) => {
    const { partial, say, ask, text, ts } = fieldsOf(event)
    if (partial === true || typeof text !== "string" || text.trim() === "") return []
    const isUsers = say === "user_feedback" || say === "task" || (say === "text" && index === 0)
    const isModels = say === "text" || say === "completion_result" || ask === "followup"
    if (!isUsers && !isModels) return []
    return [{ role: isUsers ? "user" : "assistant", content: text, ts }]
  })
