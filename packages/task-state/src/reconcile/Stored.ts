/** What a commit left for later in the store; only where the store says so. */
import type * as Decision from "../protocol/Decision.ts"
import * as TaskRecord from "../TaskRecord.ts"
import { live, readOf, type Rule } from "./Repair.ts"

/** deletionUnfinished: rows, files or checkpoints of a deleted task; the deletion is finished. */
export const unfinishedDeletion: Rule = (record, facts) =>
  TaskRecord.isTombstone(record) && facts.hasRemains?.(record.id) === true
    ? {
        rule: "deletionUnfinished",
        taskId: record.id,
        detail: "deleted, but something of it is still stored",
        decision: { changes: [], settlements: [] },
        reads: [readOf(facts, record.id)]
      }
    : undefined

/** callUnanswered: a child was collected as the answer of a call that is still open. */
export const openCalls: Rule = (record, facts) => {
  if (record.status === "completed" || live(facts, record.id)) return undefined
  const open = facts.openCalls?.(record.id)
  if (open === undefined || open.size === 0) return undefined
  const settlements = TaskRecord.collectedIds(record).flatMap((childId): ReadonlyArray<Decision.Settlement> => {
    const entry = TaskRecord.collectedEntry(record, childId)
    if (entry === undefined || entry.deliveredBy !== "call" || !open.has(entry.callId)) return []
    return [{ taskId: record.id, callId: entry.callId, childId, outcome: entry.outcome, summary: entry.summary }]
  })
  if (settlements.length === 0) return undefined
  const detail = `${settlements.length} collected, but not answered`
  const decision = { changes: [], settlements }
  return { rule: "callUnanswered", taskId: record.id, detail, decision, reads: [readOf(facts, record.id)] }
}
