/**
 * The canonical message: Anthropic's Messages API, stored as received.
 *
 * Blocks are kept with every field the service sent, so that thinking signatures survive and a request can be repeated
 * byte for byte; `content` is always an array of blocks, never a string.
 * Source: https://docs.anthropic.com/en/api/messages
 */
import * as Schema from "effect/Schema"
import type {
  ContentBlock,
  ImageBlock,
  RedactedThinkingBlock,
  TextBlock,
  ThinkingBlock,
  ToolUseBlock
} from "./blocks.ts"
import type { Origin } from "./Origin.ts"

export type * from "./blocks.ts"

/** Decodes who speaks in a message. */
export const Role = Schema.Literals(["user", "assistant"])
export type Role = typeof Role.Type

/**
 * Says who made an answer. Its thinking goes back to nobody else, and to newer models only behind what it was made from:
 * `after` is a digest of that.
 */
export const Maker = Schema.Struct({ service: Schema.String, model: Schema.String, after: Schema.String })
export type Maker = typeof Maker.Type

/** One message. What goes over the wire is its role and content. */
export interface Message {
  readonly role: Role
  readonly content: ReadonlyArray<ContentBlock>
  /** Of an answer; absent where it is not known, as in older histories. */
  readonly by?: Maker
  /** Who wrote each block, in their order; absent of answers and where nothing is known, as in older histories. */
  readonly from?: ReadonlyArray<Origin>
}

/** One message of a task's log; `index` counts from 0 without gaps. */
export interface LoggedMessage extends Message {
  readonly index: number
}

/** Makes a block of a text. */
export const text = (value: string): TextBlock => ({ type: "text", text: value })

/** Describes what comes with words of the user: an image, or the text of a file under its name. */
export type Attachment = TextBlock | ImageBlock

/** A file as the model reads it. */
export const file = (path: string, content: string): TextBlock =>
  text(`<file path=${JSON.stringify(path)}>\n${content}\n</file>`)

/** There is something to read. Services refuse blank texts, so silence is never taken for a message nor for an answer. */
export const isSaid = (words: string | undefined): words is string => words !== undefined && words.trim() !== ""

/** A message to the model of which nobody says who wrote it. What is stored says it, see `from`. */
export const user = (...content: ReadonlyArray<ContentBlock>): Message => ({ role: "user", content })

/** A message to the model that one wrote. */
export const from = (origin: Origin, ...content: ReadonlyArray<ContentBlock>): Message => ({
  role: "user",
  content,
  from: content.map(() => origin)
})

/** Says who wrote a block of a message. */
export const originOf = (message: Pick<Message, "content" | "from" | "role">, at: number): Origin => {
  const told = message.from?.[at]
  if (told !== undefined) return told
  return message.role === "assistant" ? "model" : "unknown"
}

/** One message to the model of several: their blocks, and who wrote them. */
export const joined = (...parts: ReadonlyArray<Message>): Message => ({
  role: "user",
  content: parts.flatMap(({ content }) => content),
  from: parts.flatMap((part) => part.content.map((_, at) => originOf(part, at)))
})

/** Words of a person, and what came with them. */
export const said = (words: string, attached: ReadonlyArray<Attachment> = []): Message =>
  joined(...(isSaid(words) ? [from("user", text(words))] : []), from("user.file", ...attached))

/** Says whether a block is what a model thought, open or sealed. */
export const isThinking = (block: ContentBlock): block is ThinkingBlock | RedactedThinkingBlock =>
  block.type === "thinking" || block.type === "redacted_thinking"

/** In the place of an answer that has nothing to send. */
export const nothing = text("(no answer)")

const unthoughts = new WeakMap<Message["content"], Message["content"]>()

/** Gives what was said without what was thought, never empty: the very same list for a list, as often as it is asked for. */
export const unthought = (content: Message["content"]): Message["content"] => {
  if (!content.some(isThinking)) return content
  const before = unthoughts.get(content)
  if (before !== undefined) return before
  const rest = content.filter((block) => !isThinking(block))
  const after = rest.length === 0 ? [nothing] : rest
  unthoughts.set(content, after)
  return after
}

/** The tool calls of a message, in order. */
export const toolUses = (message: Message): ReadonlyArray<ToolUseBlock> =>
  message.content.filter((block): block is ToolUseBlock => block.type === "tool_use")

/** The text of a message, its text blocks joined by an empty line. */
export const textOf = (message: Message): string =>
  message.content
    .filter((block): block is TextBlock => block.type === "text")
    .map((block) => block.text)
    .join("\n\n")
