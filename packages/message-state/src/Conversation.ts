/**
 * A log as the model reads it, and whether its tool calls and results pair up.
 *
 * The merged form of a prefix of a log is a prefix of the merged form of the log, block by block: what was sent once is
 * sent again unchanged, so the service can answer from its cache. The same holds with ids of their own.
 */
import * as LogFold from "./LogFold.ts"
import type { ContentBlock, Message, ToolUseBlock } from "./Message.ts"

/** The messages of a log as they are sent, and whether the last of them is a list that only this fold has. */
interface Merged {
  readonly messages: Array<Message>
  merging: Array<ContentBlock> | undefined
}

const merged = LogFold.make<Message, Merged>(
  () => ({ messages: [], merging: undefined }),
  (state, { content, role }) => {
    const { messages } = state
    const last = messages.at(-1)
    if (last?.role !== role) {
      messages.push({ role, content })
      state.merging = undefined
      return state
    }
    state.merging = [...(state.merging ?? last.content), ...content]
    messages[messages.length - 1] = { role, content: state.merging }
    return state
  }
)

/**
 * Consecutive messages of one role become one: some servers insist that roles alternate. No block is changed. Of a log that
 * has grown, the messages before its new ones are the very same values.
 */
export const conversation = (log: ReadonlyArray<Message>): ReadonlyArray<Message> => [...merged(log).messages]

/** An id that is not taken: the given one, else with the first number that makes it one. */
export const freshId = (given: string, isTaken: (id: string) => boolean): string => {
  let id = given
  for (let number = 2; isTaken(id); number++) id = `${given}_${number}`
  return id
}

interface OwnIds {
  readonly taken: Set<string>
  readonly renamed: Map<string, string>
}

const withOwnId = ({ renamed, taken }: OwnIds, of: ContentBlock): ContentBlock => {
  if (of.type === "tool_use") {
    const id = freshId(of.id, (known) => taken.has(known))
    taken.add(id)
    if (id !== of.id) renamed.set(of.id, id)
    return id === of.id ? of : { ...of, id }
  }
  if (of.type !== "tool_result") return of
  const id = renamed.get(of.tool_use_id)
  return id === undefined ? of : { ...of, tool_use_id: id }
}

const ownIds = LogFold.make<Message, OwnIds & { readonly messages: Array<Message> }>(
  () => ({ taken: new Set(), renamed: new Map(), messages: [] }),
  (state, message) => {
    const content = message.content.map((block) => withOwnId(state, block))
    const isOther = content.some((of, at) => of !== message.content[at])
    state.messages.push(isOther ? { ...message, content } : message)
    return state
  }
)

/**
 * A call whose id an earlier one has, as logs of other programs hold them, has one of its own, and its result names it:
 * services refuse two calls of one id. What is before it does not change, nor does it become another value.
 */
export const withOwnIds = (messages: ReadonlyArray<Message>): ReadonlyArray<Message> => [...ownIds(messages).messages]

/** A log as it is sent: of alternating roles, each call with an id of its own. */
export const sent = (log: ReadonlyArray<Message>): ReadonlyArray<Message> => conversation(ownIds(log).messages)

/** How many results each call of a log has, in the order of the calls; a result counts for the newest call of its id. */
const resultCounts = (log: ReadonlyArray<Message>): ReadonlyArray<{ readonly call: ToolUseBlock; results: number }> => {
  const all: Array<{ readonly call: ToolUseBlock; results: number }> = []
  const newest = new Map<string, { results: number }>()
  for (const block of log.flatMap(({ content }) => content)) {
    if (block.type === "tool_use") {
      const entry = { call: block, results: 0 }
      all.push(entry)
      newest.set(block.id, entry)
    } else if (block.type === "tool_result") {
      const entry = newest.get(block.tool_use_id)
      if (entry !== undefined) entry.results += 1
    }
  }
  return all
}

/** The calls without a result, in order. A result that comes before its call is not one. */
export const unanswered = (log: ReadonlyArray<Message>): ReadonlyArray<ToolUseBlock> =>
  resultCounts(log).flatMap(({ call, results }) => (results === 0 ? [call] : []))

/** The calls with more than one result, in order, each once. */
export const duplicates = (log: ReadonlyArray<Message>): ReadonlyArray<ToolUseBlock> =>
  resultCounts(log).flatMap(({ call, results }) => (results > 1 ? [call] : []))
