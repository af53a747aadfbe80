/** What reconciliation looks at, and what a repair is. */
import * as Result from "effect/Result"
import * as Command from "../Command.ts"
import * as Decision from "../protocol/Decision.ts"
import type { TaskId } from "../TaskId.ts"
import type * as TaskRecord from "../TaskRecord.ts"
import type { RepairRule } from "./RepairRule.ts"

/**
 * Gives reconciliation everything that it may look at: the tasks that can need a repair, and those that they wait for or
 * belong to; a store leaves out what `isAtRest` said of before, and what is completed. Times are in ms since 1970.
 */
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
  /** The log of a task is there although its record is not. None by default. */
  readonly hasLog?: (id: TaskId) => boolean
  /** The record of such a task as its log tells it; by default it is one that was interrupted by a crash. */
  readonly rebuilt?: (id: TaskId) => TaskRecord.TaskRecord | undefined
  /** The calls of a task that have no result. None by default. */
  readonly openCalls?: (id: TaskId) => ReadonlySet<string>
  /** Something of a deleted task is still stored. None by default. */
  readonly hasRemains?: (id: TaskId) => boolean
}

/**
 * For `deletionUnfinished` the decision is empty: the store removes what is left. `recordDamaged` is the store's own: only it can copy aside what
 * cannot be read, and `Replay` tells what it puts there.
 */
export interface Repair {
  readonly rule: RepairRule
  readonly taskId: TaskId
  readonly detail: string
  readonly decision: Decision.Decision
  /** The other records it was derived from; `null` is a record that was absent. */
  readonly reads: ReadonlyArray<{ readonly taskId: TaskId; readonly rev: number | null }>
}

export type Rule = (record: TaskRecord.TaskRecord, facts: Facts) => Repair | undefined

/** False when a record that the repair was derived from has changed since; it is dropped then, and found again. */
export const isCurrent = (found: Repair, task: (id: TaskId) => TaskRecord.TaskRecord | undefined): boolean =>
  Decision.isCurrent({ ...found.decision, reads: found.reads }, task)

/** A live process is responsible for the task; this one only while it has a runner for it. */
export const live = (facts: Facts, id: TaskId): boolean => {
  const lease = facts.leases.get(id)
  if (lease === undefined) return false
  return lease.ownerId === facts.me ? facts.runners.has(id) : facts.alive(lease.ownerId)
}

export const readOf = (facts: Facts, taskId: TaskId) => ({ taskId, rev: facts.tasks.get(taskId)?.rev ?? null })

/** A repair that is one command on one record; none when the command changes nothing. */
export const repair = (
  rule: RepairRule,
  record: TaskRecord.TaskRecord,
  command: Command.Command,
  detail: string,
  reads: Repair["reads"] = [],
  delivered: Pick<Decision.Decision, "settlements" | "messages"> = Decision.nothing
): Repair | undefined => {
  const decided = Decision.change(record, command, "release", delivered)
  if (Result.isFailure(decided) || decided.success.changes.length === 0) return undefined
  return { rule, taskId: record.id, detail, decision: decided.success, reads }
}

/** Releases a task that nobody runs from awaited children, with what it is told about each. */
export const release = (
  rule: RepairRule,
  record: TaskRecord.TaskRecord,
  children: ReadonlyArray<Command.Report>,
  facts: Facts,
  detail: string
): Repair | undefined => {
  const reads = children.map(({ id }) => readOf(facts, id))
  const command = { _tag: "CollectUnowned", children, at: facts.now } as const
  return repair(rule, record, command, detail, reads, Decision.delivery(record, children))
}
