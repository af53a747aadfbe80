/** What tasks wait for that nobody runs, whatever their status. */
import { lostSummary, reportOf } from "../protocol/Report.ts"
import type { TaskId } from "../TaskId.ts"
import * as TaskRecord from "../TaskRecord.ts"
import { type Facts, live, readOf, release, type Repair, repair, type Rule } from "./Repair.ts"

const lost = (id: TaskId) => ({ id, outcome: "lost", summary: lostSummary }) as const

/** nothingAwaited: delegated and nothing awaited in the foreground. */
export const nothingAwaited: Rule = (record, facts) => {
  if (record.status !== "delegated" || live(facts, record.id)) return undefined
  if (TaskRecord.foregroundIds(record).length > 0) return undefined
  return repair(
    "nothingAwaited",
    record,
    { _tag: "Interrupt", reason: "ready" },
    "delegated, but no subtask is awaited"
  )
}

/** childCompleted: awaited children that completed; a chain is collected from the leaf up. */
export const completedChildren: Rule = (record, facts) => {
  if (live(facts, record.id)) return undefined
  const children = TaskRecord.awaitedIds(record).flatMap((id) => {
    const child = facts.tasks.get(id)
    return child?.status === "completed" ? [reportOf(child)] : []
  })
  if (children.length === 0) return undefined
  return release("childCompleted", record, children, facts, `${children.length} completed and not yet collected`)
}

const isAbsent = (facts: Facts, id: TaskId): boolean => !facts.tasks.has(id) && facts.unreadable?.(id) !== true

/** childLost: awaited children whose record is truly absent. */
export const absentChildren: Rule = (record, facts) => {
  if (live(facts, record.id)) return undefined
  const children = TaskRecord.awaitedIds(record)
    .filter((id) => isAbsent(facts, id) && facts.hasLog?.(id) !== true)
    .map(lost)
  if (children.length === 0) return undefined
  return release("childLost", record, children, facts, `${children.length} awaited, but without a record`)
}

const putBack = (after: TaskRecord.TaskRecord, record: TaskRecord.TaskRecord, facts: Facts): Repair => ({
  rule: "recordMissing",
  taskId: after.id,
  detail: "its log is there, its record was not",
  decision: { changes: [{ command: "Create", before: undefined, after, lease: "keep" }], settlements: [] },
  reads: [readOf(facts, record.id)]
})

const isMissing = (facts: Facts, id: TaskId): boolean => isAbsent(facts, id) && facts.hasLog?.(id) === true

/**
 * recordMissing: an awaited child without a record whose log is there gets a record again, and its parent keeps the link. So does a
 * parent whose log tells its record, before anything is decided about its children.
 */
export const missingRecords: Rule = (record, facts) => {
  const { depth, parentId, rootId } = record.lineage
  const parent = parentId !== undefined && isMissing(facts, parentId) ? facts.rebuilt?.(parentId) : undefined
  if (parent !== undefined) return putBack(parent, record, facts)
  const id = TaskRecord.awaitedIds(record).find((child) => isMissing(facts, child))
  const entry = id === undefined ? undefined : TaskRecord.awaitedEntry(record, id)
  if (id === undefined || entry === undefined) return undefined
  const interrupted: TaskRecord.Interrupted = {
    status: "interrupted",
    id,
    rev: 1,
    attempt: 0,
    lineage: { parentId: record.id, rootId, originCallId: entry.callId, depth: depth + 1 },
    createdBy: facts.me,
    awaiting: {},
    collected: {},
    interruption: { reason: "crash", from: "active" }
  }
  return putBack(facts.rebuilt?.(id) ?? interrupted, record, facts)
}

interface Edge {
  readonly to: TaskId
  readonly since: number
}

/** Edges to children by lineage: others are given up as not its own, and no edge of a parent has to go for them. */
const edgesOf = (record: TaskRecord.TaskRecord | undefined, facts: Facts): ReadonlyArray<Edge> =>
  record === undefined
    ? []
    : TaskRecord.awaitedIds(record)
        .filter((to) => facts.tasks.get(to)?.lineage.parentId === record.id)
        .map((to) => ({ to, since: TaskRecord.awaitedEntry(record, to)?.since ?? 0 }))

const isOlder = (a: Edge, b: Edge): boolean => a.since < b.since || (a.since === b.since && a.to < b.to)

/** The edge closes a cycle of edges that are all older than itself. */
const closesCycle = (from: TaskId, edge: Edge, facts: Facts): boolean => {
  const seen = new Set<TaskId>([edge.to])
  for (const id of seen) {
    if (id === from) return true
    for (const next of edgesOf(facts.tasks.get(id), facts)) if (isOlder(next, edge)) seen.add(next.to)
  }
  return false
}

/** waitCircle: tasks that wait for each other in a circle; it is broken at its newest edge. */
export const cycles: Rule = (record, facts) => {
  if (live(facts, record.id)) return undefined
  const edge = edgesOf(record, facts).find((candidate) => closesCycle(record.id, candidate, facts))
  if (edge === undefined) return undefined
  return release("waitCircle", record, [lost(edge.to)], facts, `${edge.to} waits for this task, which waits for it`)
}

/** childOfAnother, notAChild: a child that is another task's by its lineage; that one keeps it. */
export const strangers: Rule = (record, facts) => {
  if (live(facts, record.id)) return undefined
  for (const id of TaskRecord.awaitedIds(record)) {
    const child = facts.tasks.get(id)
    if (child === undefined || child.lineage.parentId === record.id) continue
    const parent = child.lineage.parentId === undefined ? undefined : facts.tasks.get(child.lineage.parentId)
    const both = parent !== undefined && TaskRecord.awaitedEntry(parent, id) !== undefined
    const detail = both ? `${id} is awaited by its own parent too` : `${id} is not a child of this task`
    return release(both ? "childOfAnother" : "notAChild", record, [lost(id)], facts, detail)
  }
  return undefined
}
