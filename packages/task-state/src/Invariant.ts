/**
 * What must hold of every history, checked after every transition in tests and by `history doctor`.
 *
 * Numbers are those of the lifecycle specification. A violation names the task, the invariant and the fact.
 */
import * as Edges from "./internal/edges.ts"
import * as Projection from "./Projection.ts"
import type { TaskId } from "./TaskId.ts"
import * as TaskRecord from "./TaskRecord.ts"

/** Names the task that breaks an invariant, the number of the invariant, and the fact in one sentence. */
export interface Violation {
  readonly taskId: TaskId
  readonly invariant: number
  readonly detail: string
}

/** Holds everything that an invariant may look at. `alive` is false only for an owner that is proven to be gone. */
export interface History {
  readonly tasks: ReadonlyMap<TaskId, TaskRecord.TaskRecord>
  readonly leases: ReadonlyMap<TaskId, TaskRecord.Lease>
  readonly alive: (ownerId: string) => boolean
}

type Check = (record: TaskRecord.TaskRecord, history: History) => ReadonlyArray<readonly [number, string]>

const nowhere: History = { tasks: new Map(), leases: new Map(), alive: () => false }

const edges: Check = (record) => {
  const awaited = TaskRecord.awaitedIds(record)
  const found: Array<readonly [number, string]> = []
  const waits = TaskRecord.foregroundIds(record).length > 0
  if (record.status === "delegated" && !waits) found.push([1, "delegated, but no foreground child is awaited"])
  if (record.status === "active" && waits) found.push([1, "active, but a foreground child is awaited"])
  for (const id of awaited) {
    if (TaskRecord.collectedEntry(record, id) !== undefined) found.push([3, `${id} is both awaited and collected`])
  }
  return found
}

const parents: Check = (record, history) =>
  TaskRecord.awaitedIds(record).flatMap((id): ReadonlyArray<readonly [number, string]> => {
    const child = history.tasks.get(id)
    if (child === undefined) return [[5, `the awaited child ${id} does not exist`]]
    if (child.lineage.parentId !== record.id) return [[4, `${id} is awaited, but is another task's child`]]
    return child.status === "completed" ? [[5, `the awaited child ${id} is completed and not collected`]] : []
  })

const leases: Check = (record, history) => {
  const lease = history.leases.get(record.id)
  const live = lease !== undefined && history.alive(lease.ownerId)
  if (live && lease.attempt !== record.attempt)
    return [[6, `leased for attempt ${lease.attempt}, not ${record.attempt}`]]
  if (record.status === "active" && !live) return [[6, "active without a live lease"]]
  if (lease === undefined || record.status === "active" || record.status === "delegated") return []
  return [[6, `${record.status}, but leased`]]
}

const lineage: Check = (record, history) => {
  const seen = new Set<TaskId>([record.id])
  let current = record
  while (current.lineage.parentId !== undefined) {
    if (seen.has(current.lineage.parentId)) return [[7, "its lineage is a cycle"]]
    seen.add(current.lineage.parentId)
    const parent = history.tasks.get(current.lineage.parentId)
    if (parent === undefined) break
    if (current.lineage.rootId !== parent.lineage.rootId || current.lineage.depth !== parent.lineage.depth + 1) {
      return [[7, `the lineage of ${current.id} does not continue its parent's`]]
    }
    current = parent
  }
  return []
}

const tombstones: Check = (record, history) => {
  if (!TaskRecord.isTombstone(record)) return []
  return record.status === "completed" && !history.leases.has(record.id) ? [] : [[8, "deleted, but not at an end"]]
}

const collected: Check = (record, history) =>
  Object.entries(TaskRecord.collected(record)).flatMap(([id, entry]) => {
    const child = history.tasks.get(id as TaskId)
    return entry.outcome === "succeeded" && child !== undefined && child.status !== "completed"
      ? [[10, `${id} was collected as succeeded, but is ${child.status}`] as const]
      : []
  })

const projected: Check = (record, history) => {
  const { awaitingChildId, status } = Projection.project(record)
  const child = awaitingChildId === undefined ? undefined : history.tasks.get(awaitingChildId)
  const waits = child !== undefined && child.status !== "completed" && child.lineage.parentId === record.id
  return (status === "delegated") === waits ? [] : [[13, `seen as ${status}, awaiting ${awaitingChildId ?? "nothing"}`]]
}

const checks: ReadonlyArray<Check> = [edges, parents, leases, lineage, collected, tombstones, projected]

/** All violations of a history at rest; empty when it is sound. */
export const violations = (history: History): ReadonlyArray<Violation> =>
  [...history.tasks.values()].flatMap((record) =>
    checks.flatMap((check) =>
      check(record, history).map(([invariant, detail]) => ({ taskId: record.id, invariant, detail }))
    )
  )

/** Gives what one record alone breaks, whatever the others are (1 and 3). */
export const ofRecord = (record: TaskRecord.TaskRecord): ReadonlyArray<Violation> =>
  edges(record, nowhere).map(([invariant, detail]) => ({ taskId: record.id, invariant, detail }))

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** What becomes of a tombstone: it is taken back as it was, or nothing of it is left to take back. */
const isOfDeletion = (before: TaskRecord.Completed, after: TaskRecord.TaskRecord): boolean => {
  if (!TaskRecord.isTombstone(before) || before.kept === undefined) return false
  return same(after, TaskRecord.isTombstone(after) ? Edges.emptied(before) : Edges.restored(before))
}

/** Gives what one write of a record must keep: lineage (7), a completed record (8), the fence and the revision. */
export const between = (before: TaskRecord.TaskRecord, after: TaskRecord.TaskRecord): ReadonlyArray<Violation> => {
  const found: Array<readonly [number, string]> = []
  if (!same(before.lineage, after.lineage)) found.push([7, "its lineage has changed"])
  const isBuried = TaskRecord.isTombstone(before)
  const kept = isBuried || !TaskRecord.isTombstone(after)
  if (before.status === "completed" && kept && !same(before, after) && !isOfDeletion(before, after)) {
    found.push([
      8,
      isBuried && !TaskRecord.isTombstone(after)
        ? "it came back after its deletion"
        : "it changed after it was completed"
    ])
  }
  if (after.attempt < before.attempt) found.push([6, "its attempt has fallen"])
  if (after.rev <= before.rev && !same(before, after)) found.push([8, "it changed without a new revision"])
  return found.map(([invariant, detail]) => ({ taskId: before.id, invariant, detail }))
}
