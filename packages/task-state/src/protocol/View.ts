/**
 * What a decision looks at, as of its commit: records, leases and who is alive.
 */
import type { TaskId } from "../TaskId.ts"
import * as TaskRecord from "../TaskRecord.ts"
import * as Transition from "../Transition.ts"

/** Gives a decision the facts of its own transaction. Reading it must have no effect. */
export interface View {
  readonly task: (id: TaskId) => TaskRecord.TaskRecord | undefined
  readonly lease: (id: TaskId) => TaskRecord.Lease | undefined
  /** False only when it is proven that the process is gone. */
  readonly alive: (ownerId: string) => boolean
  /** The owner id of the process that asks. */
  readonly me: string
  /** ms since 1970 */
  readonly now: number
}

/** A record that a decision looked at; `null` is a record that was absent. */
export interface Read {
  readonly taskId: TaskId
  readonly rev: number | null
}

/** The same view, which remembers what was looked at. */
export const traced = (view: View): { readonly view: View; readonly reads: () => ReadonlyArray<Read> } => {
  const seen = new Map<TaskId, number | null>()
  const task = (id: TaskId) => {
    const record = view.task(id)
    seen.set(id, record?.rev ?? null)
    return record
  }
  return { view: { ...view, task }, reads: () => [...seen].map(([taskId, rev]) => ({ taskId, rev })) }
}

/** A lease of a live process other than the asking one. */
export const heldElsewhere = (view: View, id: TaskId): boolean => {
  const lease = view.lease(id)
  return lease !== undefined && lease.ownerId !== view.me && view.alive(lease.ownerId)
}

export const heldHere = (view: View, id: TaskId): boolean => view.lease(id)?.ownerId === view.me

/** Some live process is responsible for it. */
export const held = (view: View, id: TaskId): boolean => heldHere(view, id) || heldElsewhere(view, id)

/** The runner that asks still has the task. */
export const holds = (view: View, record: TaskRecord.TaskRecord, attempt: number): boolean =>
  record.attempt === attempt && heldHere(view, record.id)

/** What forbids a write of a runner: first the fence, then the table, then the lease. */
export const refusal = (
  view: View,
  record: TaskRecord.TaskRecord,
  request: { readonly _tag: Transition.CommandName; readonly attempt: number }
): Transition.Rule | undefined => {
  const cell = Transition.cell(request._tag, record.status)
  if (record.status !== "created" && record.attempt !== request.attempt) return "LeaseLost"
  if (cell._tag === "reject") return cell.rule
  return holds(view, record, request.attempt) ? undefined : "LeaseLost"
}

/** What forbids a person's write of a parent's edges: another live process has it, or a dead one was at work on it. */
export const occupied = (view: View, record: TaskRecord.TaskRecord): Transition.Rule | undefined => {
  if (heldElsewhere(view, record.id)) return "Owned"
  return record.status === "active" && !heldHere(view, record.id) ? "InterruptFirst" : undefined
}
