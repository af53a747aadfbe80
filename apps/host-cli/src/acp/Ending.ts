/** Whether a task and all below it wait for nothing but a person's words, and with which word of the protocol that ends a prompt. */
import type * as Protocol from "@agentclientprotocol/sdk"
import { AskText } from "@belay/interaction"
import { TaskNode } from "@belay/task-engine/remote"
import { TaskRecord } from "@belay/task-state"

const wordsOf = ({ openAsks }: TaskNode.TaskNode) => openAsks.filter((ask) => !AskText.decides(ask))

/**
 * A subtask that has ended is about to be collected; one that is created is about to begin, and so is one that had stopped
 * before what waits for it was run again.
 */
const rests = (node: TaskNode.TaskNode, since: number): boolean => {
  const { record } = node.row
  switch (record.status) {
    case "created":
    case "completed":
      return false
    case "active":
      return wordsOf(node).length > 0
    case "interrupted":
      return node.row.updatedAt >= since
    case "delegated": {
      const awaited = new Set<string>(TaskRecord.foregroundIds(record))
      return (node.children ?? []).filter(({ row }) => awaited.has(row.record.id)).every((child) => rests(child, since))
    }
  }
}

const isLimit = (node: TaskNode.TaskNode): boolean => wordsOf(node).some(({ kind }) => kind === "budget")

/** What is said to it now is read at once: nothing is open that wants another answer first. */
export const listens = (node: TaskNode.TaskNode): boolean =>
  node.row.record.status === "active" &&
  wordsOf(node).every(
    ({ callId, kind }) => kind === "plan" || kind === "completion" || (kind === "question" && callId === null)
  )

/** Nothing while something of it goes on. `since`: of a task that this process runs, from when on; ms since 1970. */
export const of = (node: TaskNode.TaskNode, since = 0): Protocol.StopReason | undefined => {
  const { record } = node.row
  if (record.status === "completed") return "end_turn"
  if (record.status !== "interrupted" && !rests(node, since)) return undefined
  if (record.status === "interrupted" && record.interruption.reason === "user") return "cancelled"
  const isBudget = record.status === "interrupted" && record.interruption.reason === "budget"
  return isBudget || [node, ...TaskNode.descendants(node)].some(isLimit) ? "max_turn_requests" : "end_turn"
}
