/**
 * Turns a request into the body that is sent.
 *
 * The body grows only at its end: without its `cache_control` fields, the body of a request up to its messages is a
 * byte-for-byte prefix of that of every later request that adds messages. Nothing of the request is changed.
 * Breakpoints, four of them, which is the most that is taken: on the last tool, the last system block, the newest block of
 * the messages that may carry one, and the last such block of the user message before it. That is where the request before
 * ended: the service looks back over a limited number of blocks only, and many calls and their results are more.
 * Source: https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching
 */
import { Message } from "@belay/message-state"
import type { ModelRequest } from "../ModelRequest.ts"

export interface CountBody {
  readonly model: string
  readonly thinking?: object
  readonly output_config?: object
  readonly temperature?: number
  readonly tools?: ReadonlyArray<object>
  readonly system?: ReadonlyArray<object>
  readonly messages: ReadonlyArray<{ readonly role: Message.Role; readonly content: ReadonlyArray<object> }>
}

/** `messages` come last, so that two bodies differ only behind what they share. */
export interface StreamBody extends CountBody {
  readonly max_tokens: number
  readonly stream: true
}

const EPHEMERAL = { type: "ephemeral" } as const

const marked = (block: object): object => ({ ...block, cache_control: EPHEMERAL })

const markAt = (blocks: ReadonlyArray<object>, at: number): ReadonlyArray<object> =>
  blocks.with(at, marked(blocks[at]!))

const known = new WeakMap<ReadonlyArray<object>, ReadonlyArray<object>>()

/** Tools and prompt are one list for all requests of a task: so is what is made of them. */
const markLast = (blocks: ReadonlyArray<object>): ReadonlyArray<object> => {
  const before = known.get(blocks)
  if (before !== undefined) return before
  const after = markAt(blocks, blocks.length - 1)
  known.set(blocks, after)
  return after
}

/** Thinking and empty text are refused with a breakpoint. */
const mayCarry = (block: Message.ContentBlock): boolean =>
  !Message.isThinking(block) && !(block.type === "text" && block.text === "")

/** Where the messages carry breakpoints: the block by the message. */
const breakpointsOf = (messages: ReadonlyArray<Message.Message>): ReadonlyMap<number, number> => {
  const found = new Map<number, number>()
  for (let index = messages.length - 1; index >= 0 && found.size < 2; index--) {
    const { content, role } = messages[index]!
    const block = content.findLastIndex(mayCarry)
    if (block >= 0 && (found.size === 0 || role === "user")) found.set(index, block)
  }
  return found
}

const messagesOf = (messages: ReadonlyArray<Message.Message>): CountBody["messages"] => {
  const at = breakpointsOf(messages)
  return messages.map(({ content, role }, index) => {
    const block = at.get(index)
    return { role, content: block === undefined ? content : markAt(content, block) }
  })
}

/** What is thought is asked for in words: some models keep it to themselves unless told. */
const thinkingOf = (thinking: ModelRequest["thinking"]): Pick<CountBody, "thinking" | "output_config"> => {
  if (thinking === undefined) return {}
  switch (thinking.type) {
    case "budget":
      return { thinking: { type: "enabled", budget_tokens: thinking.tokens } }
    case "adaptive":
      return {
        thinking: { type: "adaptive", display: "summarized" },
        output_config: { effort: thinking.effort }
      }
    default:
      return { thinking: { type: thinking.type } }
  }
}

const parts = (request: ModelRequest) => ({
  ...thinkingOf(request.thinking),
  ...(request.tools.length === 0 ? {} : { tools: markLast(request.tools) }),
  ...(request.system.length === 0 ? {} : { system: markLast(request.system) }),
  messages: messagesOf(request.messages)
})

/** The body of a streamed request. */
export const prepare = (request: ModelRequest): StreamBody => ({
  model: request.model,
  max_tokens: request.maxTokens,
  stream: true,
  ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
  ...parts(request)
})

/**
 * The request without a word of thinking: for a service that refuses it in whatever way it was put. What was thought is
 * left out of the messages.
 */
export const thoughtless = ({ thinking: _thinking, ...request }: ModelRequest): ModelRequest => ({
  ...request,
  messages: request.messages.map(({ content, role }) => ({ role, content: Message.unthought(content) }))
})

/** The body of a request that only counts. */
export const prepareCount = (request: ModelRequest): CountBody => ({ model: request.model, ...parts(request) })
