/**
 * How a conversation can be made shorter without a model: what it weighs, what may be left out, and where it may be cut.
 *
 * Every plan keeps the first message, and every call that is kept keeps its one result. Plans depend on the messages
 * alone, so the same conversation is always shortened in the same way.
 */
import * as LogFold from "./LogFold.ts"
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

/** The same of a log that grows, of which only what is new is looked at. */
export const weightOfLog: (log: ReadonlyArray<Message>) => number = LogFold.make(
  () => 0,
  (sum, message: Message) => sum + weightOfMessage(message)
)

interface Call {
  readonly name: string
  readonly input: unknown
}

interface Result {
  readonly index: number
  readonly block: number
  readonly call: Call
  readonly result: ToolResultBlock
  /** Of its content; images at their fixed size. */
  readonly characters: number
}

const charactersOf = ({ content }: ToolResultBlock): number =>
  content.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : weightOfBlock(part)), 0)

/** The results in order, each with the newest call of its id before it. */
const resultsOf = (messages: ReadonlyArray<LoggedMessage>): ReadonlyArray<Result> => {
  const calls = new Map<string, Call>()
  const results: Array<Result> = []
  for (const message of messages) {
    for (const use of toolUses(message)) calls.set(use.id, use)
    for (const [block, result] of message.content.entries()) {
      if (result.type !== "tool_result") continue
      const call = calls.get(result.tool_use_id) ?? { name: "a tool", input: {} }
      results.push({ index: message.index, block, call, result, characters: charactersOf(result) })
    }
  }
  return results
}

/** Results of fewer characters are not worth leaving out. */
const small = 1500

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
    if (seen.has(key) && result.characters > small) repeated.unshift(result)
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

const figure = (value: number): string => String(value).replace(/\B(?=(?:\d{3})+$)/gu, ",")

const tests = /\b(?:tests?|check|vitest|jest|mocha|pytest|tox|ctest|rspec|phpunit)\b/iu

const isTestRun = ({ call: { input, name } }: Result): boolean => {
  const { command } = fieldsOf(input)
  return name === "execute_command" && typeof command === "string" && tests.test(command)
}

/** Characters of the end of a result that its stand-in repeats. */
const endCharacters = 300

/** The last whole lines of a result. */
const endOf = ({ result }: Result): string => {
  const text = textOf({ role: "user", content: result.content }).trimEnd()
  if (text.length <= endCharacters) return text
  const end = text.slice(-endCharacters)
  return end.includes("\n") ? end.slice(end.indexOf("\n") + 1) : end
}

/** Says which results are old and how many characters have to become free. */
export interface Old {
  /** A position: results before it are old. */
  readonly keepFrom: number
  /** Characters: no more results are left out than are needed for it. */
  readonly free: number
  /** Tools whose calls can be repeated at any time; of other results the last lines stay. */
  readonly reads: ReadonlySet<string>
}

/**
 * Leaves out old results, the oldest and biggest first. Those of fewer than 1,500 characters, errors, and the last run of
 * tests stay.
 */
export const oldOutputs = (messages: ReadonlyArray<LoggedMessage>, old: Old): Draft | undefined => {
  const { free, keepFrom, reads } = old
  const lastRun = resultsOf(messages).findLast(isTestRun)
  const spared = ({ block, characters, index, result }: Result) =>
    characters < small || result.is_error === true || (index === lastRun?.index && block === lastRun.block)
  const results = resultsOf(messages.slice(0, keepFrom)).filter((result) => !spared(result))
  const end = messages[keepFrom]?.index ?? messages.length
  const order = ({ characters, index }: Result) => characters * (end - index)
  const textFor = (result: Result) => {
    const size = figure(result.characters)
    const said = `Left out: ${size} characters, the result of ${subjectOf(result.call)}. Call it again if you need it.`
    return reads.has(result.call.name) ? `(${said})` : `(${said} It ended:)\n${endOf(result)}`
  }
  const texts = new Map<Result, string>()
  let freed = 0
  for (const result of results.toSorted((a, b) => order(b) - order(a))) {
    if (freed >= free) break
    const text = textFor(result)
    texts.set(result, text)
    freed += result.characters - text.length
  }
  return elide(
    results.filter((result) => texts.has(result)),
    (result) => texts.get(result) ?? ""
  )
}

/** Characters that stay of a result that is shortened. */
const kept = 1000

/** Shortens all long results to their first characters. */
export const shortened = (messages: ReadonlyArray<LoggedMessage>): Draft | undefined => {
  const long = resultsOf(messages).filter(({ characters }) => characters > 2 * kept)
  return elide(long, ({ characters, result }) => {
    const text = textOf({ role: "user", content: result.content })
    return `${text.slice(0, kept)}\n(Left out: the rest of ${figure(characters)} characters. Ask for less at a time.)`
  })
}

/** A conversation may be cut before this position: no result after it belongs to a call before it. */
const isBoundary = (messages: ReadonlyArray<Message>, at: number): boolean => {
  const first = messages[at]
  return first !== undefined && !first.content.some(({ type }) => type === "tool_result")
}

/**
 * Says where the end of a conversation begins that weighs at most `most`: a position from 2 on, so that at least one message
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
