/**
 * How a write changes a record's fields: its identity and fence are kept, and its edges move in one direction only, from
 * `awaiting` to `collected`.
 */
import type { Child, Report } from "../Command.ts"
import type { TaskId } from "../TaskId.ts"
import * as TaskRecord from "../TaskRecord.ts"

export type Edges = Pick<TaskRecord.Active, "awaiting" | "collected">

export const waitsInForeground = (awaiting: TaskRecord.Awaiting): boolean =>
  Object.values(awaiting).some((entry) => entry.wait === "foreground")

/** The fields that every status has, at the next revision. */
const identityOf = (record: TaskRecord.TaskRecord) => ({
  id: record.id,
  rev: record.rev + 1,
  lineage: record.lineage,
  createdBy: record.createdBy,
  ...(record.continuesTaskId === undefined ? {} : { continuesTaskId: record.continuesTaskId }),
  ...(record.forkedFrom === undefined ? {} : { forkedFrom: record.forkedFrom })
})

export const edgesOf = (record: TaskRecord.TaskRecord): Edges => ({
  awaiting: TaskRecord.awaiting(record),
  collected: TaskRecord.collected(record)
})

/** Awaiting a foreground child means delegated; the status of a working task follows from its edges. */
export const working = (
  record: TaskRecord.TaskRecord,
  edges: Edges,
  attempt: number
): TaskRecord.Active | TaskRecord.Delegated => ({
  ...identityOf(record),
  ...edges,
  attempt,
  status: waitsInForeground(edges.awaiting) ? "delegated" : "active"
})

export const interrupted = (
  record: Exclude<TaskRecord.TaskRecord, TaskRecord.Completed | TaskRecord.Interrupted>,
  reason: TaskRecord.InterruptReason,
  edges: Edges = edgesOf(record)
): TaskRecord.Interrupted => ({
  ...identityOf(record),
  ...edges,
  attempt: record.attempt,
  status: "interrupted",
  interruption: { reason, from: record.status }
})

export const completed = (
  record: TaskRecord.TaskRecord,
  attempt: number,
  outcome: TaskRecord.Outcome,
  result: string
): TaskRecord.Completed => ({
  ...identityOf(record),
  status: "completed",
  attempt,
  collected: TaskRecord.collected(record),
  outcome,
  result
})

/** Where something works there is nothing to put aside. */
const asideOf = (record: TaskRecord.TaskRecord, together: TaskId | undefined) =>
  together === undefined || record.status === "active" ? {} : { kept: { with: together, record } }

/**
 * What is left of a deleted task: who it was, whose child, and how it ended; nothing that it said. `together`, the task
 * whose deletion it is, keeps the record beside it, so that it can come back.
 */
export const tombstone = (
  record: TaskRecord.TaskRecord,
  at: number,
  by: string,
  together?: TaskId
): TaskRecord.Completed => ({
  ...completed(record, record.attempt, record.status === "completed" ? record.outcome : "cancelled", ""),
  collected: {},
  deletedAt: at,
  deletedBy: by,
  ...asideOf(record, together)
})

/** A tombstone for good: nothing comes back. */
export const emptied = (record: TaskRecord.Completed): TaskRecord.Completed => {
  const { kept: _, ...rest } = record
  return { ...rest, rev: record.rev + 1 }
}

/** The record that a deletion has put aside, at the next revision. */
export const restored = (record: TaskRecord.TaskRecord): TaskRecord.TaskRecord | undefined => {
  const kept = TaskRecord.keptOf(record)
  return kept === undefined ? undefined : { ...kept.record, rev: record.rev + 1 }
}

export const awaitMore = (edges: Edges, children: ReadonlyArray<Child>, at: number, answered = false): Edges => {
  const awaiting: Record<TaskId, TaskRecord.Awaited> = { ...edges.awaiting }
  for (const { callId, id, wait } of children) {
    awaiting[id] = { callId, since: at, wait, ...(answered ? { answered: true } : {}) }
  }
  return { awaiting, collected: edges.collected }
}

/** Moves the reports of awaited children from `awaiting` to `collected`; what is not awaited is left alone. */
export const collect = (
  edges: Edges,
  children: ReadonlyArray<Report>,
  at: number,
  byWaitCall: boolean = false
): Edges => {
  const awaiting: Record<TaskId, TaskRecord.Awaited> = { ...edges.awaiting }
  const collected: Record<TaskId, TaskRecord.Collected> = { ...edges.collected }
  for (const child of children) {
    const entry = Object.hasOwn(awaiting, child.id) ? awaiting[child.id] : undefined
    if (entry === undefined) continue
    delete awaiting[child.id]
    collected[child.id] = {
      callId: entry.callId,
      outcome: child.outcome,
      summary: child.summary,
      at,
      deliveredBy: byWaitCall || TaskRecord.answersCall(entry) ? "call" : "message"
    }
  }
  return { awaiting, collected }
}
