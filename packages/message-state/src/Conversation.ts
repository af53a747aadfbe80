/**
 * A log as the model reads it, and whether its tool calls and results pair up.
 *
 * The merged form of a prefix of a log is a prefix of the merged form of the log, block by block: what was sent once is
 * sent again unchanged, so the service can answer from its cache. The same holds with ids of their own.
 */
import type { ContentBlock, Message, ToolUseBlock } from "./Message.ts"

/** Consecutive messages of one role become one: some servers insist that roles alternate. No block is changed. */
export const conversation = (log: ReadonlyArray<Message>): ReadonlyArray<Message> => {
  const messages: Array<Message> = []
  let merging: Array<ContentBlock> | undefined
  for (const { content, role } of log) {
    const last = messages.at(-1)
    if (last?.role !== role) {
      messages.push({ role, content })
      merging = undefined
      continue
    }
    if (merging === undefined) {
      merging = [...last.content]
      messages[messages.length - 1] = { role, content: merging }
    }
    for (const block of content) merging.push(block)
  }
  return messages
}

/** An id that is not taken: the given one, else with the first number that makes it one. */
export const freshId = (given: string, isTaken: (id: string) => boolean): string => {
  let id = given
  for (let number = 2; isTaken(id); number++) id = `${given}_${number}`
  return id
}

/**
 * A call whose id an earlier one has, as logs of other programs hold them, has one of its own, and its result names it:
 * services refuse two calls of one id. What is before it does not change.
 */
export const withOwnIds = (messages: ReadonlyArray<Message>): ReadonlyArray<Message> => {
  const taken = new Set<string>()
  const renamed = new Map<string, string>()
  const block = (of: ContentBlock): ContentBlock => {
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
  return messages.map((message) => {
    const content = message.content.map(block)
    return content.some((of, at) => of !== message.content[at]) ? { ...message, content } : message
  })
}

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
