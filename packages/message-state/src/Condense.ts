/**
 * How a conversation can be made shorter without a model: what it weighs, what may be left out, and where it may be cut.
 *
 * Every plan keeps the first message, and every call that is kept keeps its one result. Plans depend on the messages
 * alone, so the same conversation is always shortened in the same way.
 */
import type { Draft, Elision } from "./ContextEdit.ts"
import {
  type ContentBlock,
  type LoggedMessage,
  type Message,
  textOf,
  type ToolResultBlock,
  toolUses
} from "./Message.ts"

/** Characters that an image counts for: about 1,600 tokens. */
const imageWeight = 6000

/** Characters of a block beside its text: its JSON. */
const blockWeight = 40

const weightOfBlock = (block: ContentBlock): number => {
  switch (block.type) {
    case "text":
      return blockWeight + block.text.length
    case "thinking":
      return blockWeight + block.thinking.length + block.signature.length
    case "redacted_thinking":
      return blockWeight + block.data.length
    case "image":
      return imageWeight
    case "tool_use":
      return blockWeight + block.name.length + block.id.length + (JSON.stringify(block.input) ?? "").length
    case "tool_result":
      return block.content.reduce((sum, part) => sum + weightOfBlock(part), blockWeight + block.tool_use_id.length)
    default:
      return JSON.stringify(block).length
  }
}

const known = new WeakMap<object, number>()

const weightOfMessage = (message: Message): number => {
  const before = known.get(message.content)
  if (before !== undefined) return before
  const weight = message.content.reduce((sum, block) => sum + weightOfBlock(block), 0)
  known.set(message.content, weight)
  return weight
}

/** Characters, images at a fixed size. Each message is looked at once, however often this is asked. */
export const weight = (messages: ReadonlyArray<Message>): number =>
  messages.reduce((sum, message) => sum + weightOfMessage(message), 0)

interface Call {
  readonly name: string
  readonly input: unknown
}

interface Result {
  readonly index: number
  readonly block: number
  readonly call: Call
  readonly result: ToolResultBlock
  readonly weight: number
}

/** The results in order, each with the newest call of its id before it. */
const resultsOf = (messages: ReadonlyArray<LoggedMessage>): ReadonlyArray<Result> => {
  const calls = new Map<string, Call>()
  const results: Array<Result> = []
  for (const message of messages) {
    for (const use of toolUses(message)) calls.set(use.id, use)
    for (const [block, result] of message.content.entries()) {
      if (result.type !== "tool_result") continue
      const call = calls.get(result.tool_use_id) ?? { name: "a tool", input: {} }
      results.push({ index: message.index, block, call, result, weight: weightOfBlock(result) })
    }
  }
  return results
}

/** Results below this many characters are not worth leaving out. */
const small = 500

const elide = (results: ReadonlyArray<Result>, textFor: (result: Result) => string): Draft | undefined => {
  const found = results.map((result): Elision => ({ index: result.index, block: result.block, text: textFor(result) }))
  const [first] = found
  const last = found.at(-1)
  return first === undefined || last === undefined
    ? undefined
    : { kind: "elide", from: first.index, to: last.index, results: found }
}

/** The words for a read whose file is read again later. */
export const readAgain = "(Left out: this file was read again later, see there.)"

/** Leaves out the results of reads that a later read of the same lines repeats. `reads` are names of tools. */
export const repeatedReads = (
  messages: ReadonlyArray<LoggedMessage>,
  reads: ReadonlySet<string>
): Draft | undefined => {
  const seen = new Set<string>()
  const repeated: Array<Result> = []
  for (const result of resultsOf(messages).toReversed()) {
    if (!reads.has(result.call.name) || result.result.is_error === true) continue
    const { task_progress: _progress, ...input } = fieldsOf(result.call.input)
    const key = JSON.stringify([result.call.name, Object.entries(input).toSorted(([a], [b]) => (a < b ? -1 : 1))])
    if (seen.has(key) && result.weight > small) repeated.unshift(result)
    seen.add(key)
  }
  return elide(repeated, () => readAgain)
}

const fieldsOf = (input: unknown): Record<string, unknown> =>
  typeof input === "object" && input !== null ? (input as Record<string, unknown>) : {}

/** What a call was about, in few words. */
const subjectOf = ({ input, name }: Call): string => {
  const fields = fieldsOf(input)
  const said = ["path", "command", "regex", "url", "name"].map((field) => fields[field])
  const subject = said.find((value) => typeof value === "string")
  return subject === undefined ? name : `${name} ${subject.split("\n")[0]?.slice(0, 120) ?? ""}`
}

/** Leaves out the results before position `keepFrom`, but short ones. */
export const oldOutputs = (messages: ReadonlyArray<LoggedMessage>, keepFrom: number): Draft | undefined => {
  const old = resultsOf(messages.slice(0, keepFrom)).filter((result) => result.weight > small)
  return elide(
    old,
    (result) =>
      `(Left out: ${result.weight} characters, the result of ${subjectOf(result.call)}. Call it again if you need it.)`
  )
}

/** Characters that stay of a result that is shortened. */
const kept = 1000

/** Shortens all long results to their first characters. */
export const shortened = (messages: ReadonlyArray<LoggedMessage>): Draft | undefined => {
  const long = resultsOf(messages).filter((result) => result.weight > 2 * kept)
  return elide(long, ({ result, weight }) => {
    const text = textOf({ role: "user", content: result.content })
    return `${text.slice(0, kept)}\n(Left out: the rest of ${weight} characters. Ask for less at a time.)`
  })
}

/** A conversation may be cut before this position: no result after it belongs to a call before it. */
const isBoundary = (messages: ReadonlyArray<Message>, at: number): boolean => {
  const first = messages[at]
  return first !== undefined && !first.content.some(({ type }) => type === "tool_result")
}

/**
 * Where the end of a conversation begins that weighs at most `most`: a position from 2 on, so that at least one message
 * besides the first is left out. The newest turn is kept, whatever it weighs; nothing when there is no such place.
 */
export const tailFrom = (messages: ReadonlyArray<Message>, most: number): number | undefined => {
  let found: number | undefined
  let sum = 0
  for (let at = messages.length - 1; at >= 2; at--) {
    sum += weight(messages.slice(at, at + 1))
    if (found !== undefined && sum > most) break
    if (isBoundary(messages, at) && hasTurn(messages, at)) found = at
  }
  return found
}

/** The newest answer is at or after this position, or there is none. */
const hasTurn = (messages: ReadonlyArray<Message>, at: number): boolean =>
  messages.findLastIndex(({ role }) => role === "assistant") >= at || messages.every(({ role }) => role === "user")
