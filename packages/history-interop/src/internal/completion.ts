/** Whether a task has ended with a result that was accepted: the last answer gives one, and nothing said later objects. */
import type { Block } from "./blocks.ts"
import { fieldsOf, text } from "./fields.ts"

/** Both kinds of program have a tool of this name; the older one writes it as tags. */
export const tool = "attempt_completion"

const tags = /<attempt_completion>[\s\S]*<result>(?<result>[\s\S]*?)<\/result>[\s\S]*<\/attempt_completion>/u
const objection = /<(?:feedback|user_message|user_feedback|answer)>|feedback|denied|rejected/iu
const surroundings = /^\s*<environment_details>[\s\S]*<\/environment_details>\s*$/u

const resultIn = (blocks: ReadonlyArray<Block>): string | undefined => {
  const use = blocks.findLast((block) => block.type === "tool_use" && block.name === tool)
  if (use?.type === "tool_use") return text(fieldsOf(use.input)["result"]) ?? ""
  const words = blocks.findLast((block) => block.type === "text" && tags.test(block.text))
  return words?.type === "text" ? tags.exec(words.text)?.groups?.["result"]?.trim() : undefined
}

const objects = (block: Block): boolean => {
  if (block.type === "text") return !surroundings.test(block.text)
  if (block.type !== "tool_result") return true
  return block.is_error === true || block.content.some((part) => part.type !== "text" || objection.test(part.text))
}

interface Turn {
  readonly role: "user" | "assistant"
  readonly blocks: ReadonlyArray<Block>
}

/** The accepted result that a log ends with. */
export const ofTurns = (turns: ReadonlyArray<Turn>): string | undefined => {
  const last = turns.findLastIndex(({ role }) => role === "assistant")
  const result = resultIn(turns[last]?.blocks ?? [])
  if (result === undefined) return undefined
  return turns.slice(last + 1).some(({ blocks }) => blocks.some(objects)) ? undefined : result
}

/**
 * Turns of a task whose result is still to be accepted: its call is there, and no result of it that tells of success.
 * `result` is what its record says that it will be.
 */
export const reopened = <A extends Turn>(
  turns: ReadonlyArray<A>,
  result: string,
  make: (blocks: ReadonlyArray<Block>) => A
): ReadonlyArray<A> => {
  const last = turns.findLastIndex(({ role }) => role === "assistant")
  const blocks = turns[last]?.blocks ?? []
  if (resultIn(blocks) === undefined) {
    if (result === "") return turns
    const call: Block = { type: "tool_use", id: "finish_subtask", name: tool, input: { result } }
    const isFree = last === turns.length - 1 && blocks.every(({ type }) => type !== "tool_use")
    return isFree ? [...turns.slice(0, last), make([...blocks, call])] : [...turns, make([call])]
  }
  if (ofTurns(turns) === undefined) return turns
  const calls = new Set(blocks.flatMap((one) => (one.type === "tool_use" && one.name === tool ? [one.id] : [])))
  const isAccepted = (block: Block) => block.type === "tool_result" && calls.has(block.tool_use_id)
  return turns.map((turn, at) =>
    at <= last ? turn : { ...turn, blocks: turn.blocks.filter((block) => !isAccepted(block)) }
  )
}

/** The same of what people saw; asks to resume come after any end. */
export const ofEvents = (events: ReadonlyArray<unknown>): string | undefined => {
  const told = events.map(fieldsOf).filter(({ ask }) => ask !== "resume_task" && ask !== "resume_completed_task")
  const last = told.at(-1)
  if (last === undefined || last["partial"] === true) return undefined
  if (last["ask"] !== "completion_result" && last["say"] !== "completion_result") return undefined
  const words = told.findLast((event) => event["say"] === "completion_result" && text(event["text"]) !== undefined)
  return text(words?.["text"]) ?? text(last["text"]) ?? ""
}

/** What a person said after the last result: it was not accepted. */
export const isObjected = (events: ReadonlyArray<unknown>): boolean => {
  const told = events.map(fieldsOf)
  const last = told.findLastIndex(({ ask, say }) => ask === "completion_result" || say === "completion_result")
  return last !== -1 && told.slice(last + 1).some(({ say }) => say === "user_feedback")
}
