/** What a task has used, in one line: its requests, their tokens, and what they cost. */
import { Words } from "@belay/interaction"
import { TaskNode } from "@belay/task-engine/remote"

const said = ({ cacheReadTokens, cacheWriteTokens, costUsd, inputTokens, outputTokens, requests }: Used): string => {
  const input = inputTokens + cacheReadTokens + cacheWriteTokens
  const money = Words.money(requests === 0 ? null : costUsd)
  return `${requests} ${requests === 1 ? "request" : "requests"}, ${Words.tokens(input)} tokens in, ${Words.tokens(outputTokens)} out, ${money}`
}

type Used = ReturnType<typeof TaskNode.usage>

/** Its own, and what it costs with its subtasks where they cost something. */
export const of = (node: TaskNode.TaskNode): string => {
  const all = TaskNode.usage(node)
  const own = said(node.row.usage)
  return all.requests === node.row.usage.requests ? own : `${own}; with subtasks ${Words.money(all.costUsd)}`
}

/** Its own, then all of its subtasks, each in a line. */
export const lines = (node: TaskNode.TaskNode): ReadonlyArray<string> => {
  const below = TaskNode.descendants(node)
  const { cacheReadTokens } = node.row.usage
  const cached = cacheReadTokens === 0 ? "" : `; ${Words.tokens(cacheReadTokens)} of the tokens in from the cache`
  const own = `${said(node.row.usage)}${cached}`
  if (below.length === 0) return [own]
  const many = `${below.length} ${below.length === 1 ? "subtask" : "subtasks"}`
  return [own, `With its ${many}: ${said(TaskNode.usage(node))}`]
}
