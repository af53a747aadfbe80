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
}

export type RepairRule = "R1" | "R2b" | "R3" | "R3b" | "R4" | "R5" | "R6" | "R7"

export interface Repair {
  readonly rule: RepairRule
  readonly taskId: TaskId
  readonly detail: string
  readonly decision: Protocol.Decision
}

export const missingSummary = "The subtask finished without leaving a summary."
export const lostSummary = "The record of this subtask is gone. It is not known what it did; check before relying on it."

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
  settlements: ReadonlyArray<Protocol.Settlement> = []
): Repair | undefined => {
  const after = Command.transitionAny(record, command)
  if (Result.isFailure(after) || after.success === record) return undefined
  const lease = command._tag === "Interrupt" ? "release" : "keep"
  const change: Protocol.Change = { command: command._tag, before: record, after: after.success, lease }
  return { rule, taskId: record.id, detail, decision: { changes: [change], settlements } }
}

/** R1, R2, R2b: a working task whose process is gone is interrupted; its parent is not touched. */
const deadRunner: Rule = (record, facts) => {
  if (record.status !== "active" || live(facts, record.id)) return undefined
  const mine = facts.leases.get(record.id)?.ownerId === facts.me
  return mine
    ? repair("R2b", record, { _tag: "Interrupt", reason: "crash" }, "leased by this process, but nothing runs it")
    : repair("R1", record, { _tag: "Interrupt", reason: "crash" }, "active, but no live process runs it")
}

/** R3, R3b, R4: created by a process that is gone. */
const deadCreator: Rule = (record, facts) => {
  if (record.status !== "created" || live(facts, record.id)) return undefined
  if (record.createdBy === facts.me || facts.alive(record.createdBy)) return undefined
  const { parentId } = record.lineage
  const interrupt = { _tag: "Interrupt", reason: "crash" } as const
  if (parentId === undefined) return repair("R3b", record, interrupt, "created, and its creator is gone")
  const parent = facts.tasks.get(parentId)
  const awaited = parent !== undefined && TaskRecord.awaiting(parent)[record.id] !== undefined
  if (awaited) return repair("R4", record, interrupt, "created and awaited, and its creator is gone")
  if (facts.hasTranscript(record.id)) {
    return repair("R3", record, interrupt, "not awaited, and its creator is gone; it has a transcript")
  }
  const change: Protocol.Change = { command: "Remove", before: record, after: undefined, lease: "release" }
  const detail = "reserved for a delegation that was never committed"
  return { rule: "R3", taskId: record.id, detail, decision: { changes: [change], settlements: [] } }
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
    if (child === undefined) return absent ? [{ id, outcome: "lost", summary: lostSummary }] : []
    if (absent || child.status !== "completed") return []
    return [{ id, outcome: child.outcome, summary: child.result === "" ? missingSummary : child.result }]
  })

const collecting =
  (rule: "R6" | "R7", absent: boolean, detail: (count: number) => string): Rule =>
  (record, facts) => {
    if (live(facts, record.id)) return undefined
    const children = reportsOf(record, facts, absent)
    if (children.length === 0) return undefined
    const command = { _tag: "CollectUnowned", children, at: facts.now } as const
    return repair(rule, record, command, detail(children.length), Protocol.settlementsOf(record, children))
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
