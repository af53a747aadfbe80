/**
 * The check of a store before it writes: every change of a decision is a step that the table and the invariants allow.
 *
 * It knows nothing of how a decision was made, so a store that asks it cannot keep an impossible history, whoever
 * decided: not one that lost a link, woke a completed task or gave a process a task that it cannot hold.
 */
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Invariant from "./Invariant.ts"
import type * as Decision from "./protocol/Decision.ts"
import type { View } from "./protocol/View.ts"
import { TaskId } from "./TaskId.ts"
import * as TaskRecord from "./TaskRecord.ts"
import * as Transition from "./Transition.ts"

/** A decision would make an impossible history; nothing of it may be written. */
export class IllegalDecision extends Schema.TaggedError<IllegalDecision>()("IllegalDecision", {
  taskId: TaskId,
  command: Schema.String,
  /** What is impossible, as the rest of a sentence. */
  detail: Schema.String
}) {
  override get message() {
    return `${this.command} of task ${this.taskId} is not a legal step: ${this.detail}`
  }
}

/** The records that a decision is checked against, as of its commit. */
export type Stored = Pick<View, "task" | "lease">

/** Commands that give the task to the process that asks: it takes the lease. */
const taking: ReadonlySet<Decision.Change["command"]> = new Set(["Start", "Resume", "TakeOver"])

/** By these its attempt grows by one, so that no runner before can write; all others keep it. */
const isFencing = (command: Decision.Change["command"]): boolean => taking.has(command) || command === "Close"

const made = (command: Decision.Change["command"], after: TaskRecord.TaskRecord): string | undefined => {
  const { depth, parentId, rootId } = after.lineage
  if (command !== "Create") return "there is no such task"
  if (after.status !== "created" || after.rev !== 1) return `a new task cannot be ${after.status}`
  if (TaskRecord.isTombstone(after)) return "a new task cannot be deleted"
  if (parentId === undefined && (rootId !== after.id || depth !== 0)) return "a task without a parent is a root"
  return undefined
}

const removed = (command: Decision.Change["command"], before: TaskRecord.TaskRecord): string | undefined =>
  command === "Remove" && before.status === "created"
    ? undefined
    : `a task that is ${before.status} cannot be removed without a trace`

/** What links of a task become: awaited ones are collected, collected ones stay as they are. */
const links = (before: TaskRecord.TaskRecord, after: TaskRecord.TaskRecord): string | undefined => {
  if (TaskRecord.isTombstone(after)) return undefined
  const lost = TaskRecord.awaitedIds(before).find(
    (id) => TaskRecord.awaitedEntry(after, id) === undefined && TaskRecord.collectedEntry(after, id) === undefined
  )
  if (lost !== undefined) return `it would forget the subtask ${lost}`
  const changed = TaskRecord.collectedIds(before).find(
    (id) => !Equal.equals(TaskRecord.collectedEntry(before, id), TaskRecord.collectedEntry(after, id))
  )
  if (changed !== undefined) return `the report of ${changed} would change`
  const invented = TaskRecord.collectedIds(after).find(
    (id) => TaskRecord.collectedEntry(before, id) === undefined && TaskRecord.awaitedEntry(before, id) === undefined
  )
  return invented === undefined ? undefined : `it would collect ${invented}, which it did not wait for`
}

const identity = ["id", "createdBy", "continuesTaskId", "forkedFrom"] as const

const stepped = (
  { command, lease }: Decision.Change,
  before: TaskRecord.TaskRecord,
  after: TaskRecord.TaskRecord
): string | undefined => {
  if (command === "Create" || command === "Import" || command === "Remove") return "there is such a task already"
  const cell = Transition.cell(command, before.status)
  if (cell._tag !== "to" || !cell.statuses.includes(after.status)) {
    return `a task that is ${before.status} cannot become ${after.status} by it`
  }
  if (after.rev !== before.rev + 1) return "its revision would not grow by one"
  const field = identity.find((name) => before[name] !== after[name])
  if (field !== undefined) return `its ${field} would change`
  if (after.attempt !== before.attempt + (isFencing(command) ? 1 : 0)) {
    return `its attempt would go from ${before.attempt} to ${after.attempt}`
  }
  if ((lease === "take") !== taking.has(command))
    return "its lease is taken with Start, Resume or TakeOver, and only so"
  if (TaskRecord.isTombstone(after) !== (command === "Delete")) return "only Delete makes a tombstone"
  // What is taken back has the links that it had.
  const linked = command === "Undelete" ? (TaskRecord.keptOf(before)?.record ?? before) : before
  return Invariant.between(before, after)[0]?.detail ?? links(linked, after)
}

const changed = (change: Decision.Change, stored: TaskRecord.TaskRecord | undefined): string | undefined => {
  const { after, before } = change
  if (before !== stored && !Equal.equals(before, stored)) return "it was decided on another record than the stored one"
  if (before === undefined) return after === undefined ? "it changes nothing" : made(change.command, after)
  return after === undefined ? removed(change.command, before) : stepped(change, before, after)
}

/** What the edges of the record break that they did not break before: a repair mends one thing at a time. */
const broken = (before: TaskRecord.TaskRecord | undefined, after: TaskRecord.TaskRecord): string | undefined => {
  const already = new Set((before === undefined ? [] : Invariant.ofRecord(before)).map(({ detail }) => detail))
  return Invariant.ofRecord(after).find(({ detail }) => !already.has(detail))?.detail
}

/** A task that works is some process's; one that is at rest is nobody's. */
const leased = (after: TaskRecord.TaskRecord, has: boolean): string | undefined => {
  if (after.status === "active" && !has) return "it would be active, and no process would have it"
  if (after.status === "active" || after.status === "delegated" || !has) return undefined
  return `it would be ${after.status}, and a process would still have it`
}

/** A child that a task starts to wait for is one of its own and has not reported yet. */
const awaited = (
  before: TaskRecord.TaskRecord | undefined,
  after: TaskRecord.TaskRecord,
  task: View["task"]
): string | undefined => {
  for (const id of TaskRecord.awaitedIds(after)) {
    if (before !== undefined && TaskRecord.awaitedEntry(before, id) !== undefined) continue
    const child = task(id)
    if (child === undefined) return `it would wait for ${id}, which does not exist`
    if (child.lineage.parentId !== after.id) return `it would wait for ${id}, which is another task's subtask`
    if (child.status === "completed") return `it would wait for ${id}, which has completed`
  }
  return undefined
}

const delivered = (
  { callId, childId, taskId }: Decision.Settlement,
  first: ReadonlyMap<TaskId, TaskRecord.TaskRecord | undefined>,
  task: View["task"]
): string | undefined => {
  const before = first.has(taskId) ? first.get(taskId) : task(taskId)
  const after = task(taskId)
  if (before === undefined || after === undefined) return "there is no such task"
  const entry = TaskRecord.collectedEntry(after, childId)
  if (entry === undefined) return `it would answer a call for ${childId}, which it has not collected`
  return entry.callId === callId
    ? undefined
    : `it would answer the call ${callId} for ${childId}, which has another one`
}

const succeeded: Result.Result<void> = Result.succeed(undefined)

/**
 * Checks a decision against the records that it would change. `Result.fail` names the first change that is impossible,
 * and why. A decision of `Protocol.decide` or `Reconcile.repairs` on the same records passes; `recordMissing` alone is no step, because it
 * puts back a record that the store still has in its journal.
 */
export const check = (stored: Stored, decision: Decision.Decision): Result.Result<void, IllegalDecision> => {
  const records = new Map<TaskId, TaskRecord.TaskRecord | undefined>()
  const first = new Map<TaskId, TaskRecord.TaskRecord | undefined>()
  const leases = new Map<TaskId, boolean>()
  const task = (id: TaskId) => (records.has(id) ? records.get(id) : stored.task(id))
  const refuse = (taskId: TaskId, command: string, detail: string) =>
    Result.fail(new IllegalDecision({ taskId, command, detail }))

  for (const change of decision.changes) {
    const { after, before, command } = change
    const id = after?.id ?? before?.id
    if (id === undefined) continue
    const detail = changed(change, task(id))
    if (detail !== undefined) return refuse(id, command, detail)
    if (!first.has(id)) first.set(id, before)
    records.set(id, after)
    if (change.lease !== "keep") leases.set(id, change.lease === "take")
  }
  for (const { after, before, command } of decision.changes) {
    // Of several changes of one record the last one is what will be stored.
    if (after === undefined || records.get(after.id) !== after) continue
    const was = first.get(after.id) ?? before
    const detail =
      broken(was, after) ??
      leased(after, leases.get(after.id) ?? stored.lease(after.id) !== undefined) ??
      awaited(was, after, task)
    if (detail !== undefined) return refuse(after.id, command, detail)
  }
  for (const one of [...decision.settlements, ...(decision.messages ?? [])]) {
    const detail = delivered(one, first, task)
    if (detail !== undefined) return refuse(one.taskId, "Collect", detail)
  }
  return succeeded
}
