/**
 * Reconciliation: records in, repairs out.
 *
 * It acts only for tasks that no live process is responsible for, is idempotent, and does not depend on the order of the
 * records: every repair is decided on the whole history, and one task gets at most one repair a round. A repair is a
 * decision like any other and is dropped when a record it was derived from has changed.
 */
import * as Result from "effect/Result"
import * as Command from "./Command.ts"
import * as Protocol from "./Protocol.ts"
import type { TaskId } from "./TaskId.ts"
import * as TaskRecord from "./TaskRecord.ts"

export interface Facts {
  readonly tasks: ReadonlyMap<TaskId, TaskRecord.TaskRecord>
  readonly leases: ReadonlyMap<TaskId, TaskRecord.Lease>
  readonly alive: (ownerId: string) => boolean
  readonly me: string
  /** The tasks that have a runner in this process. */
  readonly runners: ReadonlySet<TaskId>
  /** The task has more than its prompt: a model has answered. */
  readonly hasTranscript: (id: TaskId) => boolean
  readonly now: number
  /** The record exists but cannot be read. Corrupt is not absent: its parent is not released. None by default. */
  readonly unreadable?: (id: TaskId) => boolean
}

export type RepairRule = "R1" | "R2b" | "R3" | "R3b" | "R4" | "R5" | "R6" | "R7"

export interface Repair {
  readonly rule: RepairRule
  readonly taskId: TaskId
  readonly detail: string
  readonly decision: Protocol.Decision
  /** The other records it was derived from; `null` is a record that was absent. */
  readonly reads: ReadonlyArray<{ readonly taskId: TaskId; readonly rev: number | null }>
}

/** False when a record that the repair was derived from has changed since; it is dropped then, and found again. */
export const isCurrent = (found: Repair, task: (id: TaskId) => TaskRecord.TaskRecord | undefined): boolean => {
  const revOf = (id: TaskId) => task(id)?.rev ?? null
  return (
    found.reads.every((read) => revOf(read.taskId) === read.rev) &&
    found.decision.changes.every(({ before }) => before === undefined || revOf(before.id) === before.rev)
  )
}

export const missingSummary = Protocol.missingSummary
export const lostSummary =
  "The record of this subtask is gone. It is not known what it did; check before relying on it."

type Rule = (record: TaskRecord.TaskRecord, facts: Facts) => Repair | undefined

const live = (facts: Facts, id: TaskId): boolean => {
  const lease = facts.leases.get(id)
  if (lease === undefined) return false
  return lease.ownerId === facts.me ? facts.runners.has(id) : facts.alive(lease.ownerId)
}

const repair = (
  rule: RepairRule,
  record: TaskRecord.TaskRecord,
  command: Command.Command,
  detail: string,
  reads: Repair["reads"] = [],
  settlements: ReadonlyArray<Protocol.Settlement> = []
): Repair | undefined => {
  const after = Command.transitionAny(record, command)
  if (Result.isFailure(after) || after.success === record) return undefined
  const change: Protocol.Change = { command: command._tag, before: record, after: after.success, lease: "release" }
  return { rule, taskId: record.id, detail, decision: { changes: [change], settlements }, reads }
}

/**
 * R1, R2, R2b: a working task whose process is gone is interrupted; its parent is not touched. One that waits needs no
 * process, unless this very process has the lease: then no other could ever collect for it.
 */
const deadRunner: Rule = (record, facts) => {
  if ((record.status !== "active" && record.status !== "delegated") || live(facts, record.id)) return undefined
  const crash = { _tag: "Interrupt", reason: "crash" } as const
  if (facts.leases.get(record.id)?.ownerId === facts.me) {
    return repair("R2b", record, crash, "leased by this process, but nothing runs it")
  }
  return record.status === "active" ? repair("R1", record, crash, "active, but no live process runs it") : undefined
}

/** R3, R3b, R4: created by a process that is gone. */
const deadCreator: Rule = (record, facts) => {
  if (record.status !== "created" || live(facts, record.id)) return undefined
  if (record.createdBy === facts.me || facts.alive(record.createdBy)) return undefined
  const { parentId } = record.lineage
  const interrupt = { _tag: "Interrupt", reason: "crash" } as const
  if (parentId === undefined) return repair("R3b", record, interrupt, "created, and its creator is gone")
  const parent = facts.tasks.get(parentId)
  const awaited = parent !== undefined && TaskRecord.awaitedEntry(parent, record.id) !== undefined
  const reads = [{ taskId: parentId, rev: parent?.rev ?? null }]
  if (awaited) return repair("R4", record, interrupt, "created and awaited, and its creator is gone", reads)
  if (facts.unreadable?.(parentId) === true) return undefined
  if (facts.hasTranscript(record.id)) {
    return repair("R3", record, interrupt, "not awaited, and its creator is gone; it has a transcript", reads)
  }
  const change: Protocol.Change = { command: "Remove", before: record, after: undefined, lease: "release" }
  const detail = "reserved for a delegation that was never committed"
  return { rule: "R3", taskId: record.id, detail, decision: { changes: [change], settlements: [] }, reads }
}

/** R5: delegated and nothing awaited in the foreground. */
const nothingAwaited: Rule = (record, facts) => {
  if (record.status !== "delegated" || live(facts, record.id)) return undefined
  if (TaskRecord.foregroundIds(record).length > 0) return undefined
  return repair("R5", record, { _tag: "Interrupt", reason: "ready" }, "delegated, but no subtask is awaited")
}

const reportsOf = (record: TaskRecord.TaskRecord, facts: Facts, absent: boolean): ReadonlyArray<Command.Report> =>
  TaskRecord.awaitedIds(record).flatMap((id): ReadonlyArray<Command.Report> => {
    const child = facts.tasks.get(id)
    if (child === undefined) {
      return absent && facts.unreadable?.(id) !== true ? [{ id, outcome: "lost", summary: lostSummary }] : []
    }
    return absent || child.status !== "completed" ? [] : [Protocol.reportOf(child)]
  })

const collecting =
  (rule: "R6" | "R7", absent: boolean, detail: (count: number) => string): Rule =>
  (record, facts) => {
    if (live(facts, record.id)) return undefined
    const children = reportsOf(record, facts, absent)
    if (children.length === 0) return undefined
    const command = { _tag: "CollectUnowned", children, at: facts.now } as const
    const reads = children.map(({ id }) => ({ taskId: id, rev: facts.tasks.get(id)?.rev ?? null }))
    return repair(rule, record, command, detail(children.length), reads, Protocol.settlementsOf(record, children))
  }

/** R6, R12: awaited children that completed, whatever the parent's status; a chain is collected from the leaf up. */
const completedChildren = collecting("R6", false, (n) => `${n} completed and not yet collected`)

/** R7: awaited children whose record is truly gone. */
const absentChildren = collecting("R7", true, (n) => `${n} awaited, but without a record`)

const rules: ReadonlyArray<Rule> = [deadRunner, deadCreator, nothingAwaited, completedChildren, absentChildren]

/** One round of repairs, sorted by task id; apply them and ask again until none is left. */
export const repairs = (facts: Facts): ReadonlyArray<Repair> =>
  [...facts.tasks.values()]
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .flatMap((record) => {
      for (const rule of rules) {
        const found = rule(record, facts)
        if (found !== undefined) return [found]
      }
      return []
    })
