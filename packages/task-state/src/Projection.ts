/**
 * A record as readers of the older single-child shape see it.
 *
 * Pure and derived, never stored: `status` is delegated iff `awaitingChildId` is present, and both link fields always
 * agree, because both are the oldest child that is awaited in the foreground.
 */
import type { TaskId } from "./TaskId.ts"
import * as TaskRecord from "./TaskRecord.ts"

/** The fields of the older shape. Each field is derived, so none can contradict another. */
export interface Projection {
  readonly status: "active" | "delegated" | "interrupted" | "completed"
  readonly awaitingChildId?: TaskId
  readonly delegatedToId?: TaskId
  /** Every child the task has waited for, oldest first. */
  readonly childIds: ReadonlyArray<TaskId>
  /** The child that reported last. */
  readonly completedByChildId?: TaskId
  /** Of a completed task its own result, which its parent reads there; else what the last child said. */
  readonly completionResultSummary?: string
  readonly parentTaskId?: TaskId
  readonly rootTaskId: TaskId
}

const statusOf = (record: TaskRecord.TaskRecord, waits: boolean): Projection["status"] => {
  switch (record.status) {
    case "created":
      return "active"
    case "interrupted":
      if (waits) return "delegated"
      return record.interruption.reason === "ready" ? "active" : "interrupted"
    default:
      return record.status
  }
}

const lastReport = (record: TaskRecord.TaskRecord) => {
  const entries = TaskRecord.collected(record)
  return TaskRecord.collectedIds(record).reduce<
    { readonly id: TaskId; readonly entry: TaskRecord.Collected } | undefined
  >((last, id) => {
    const entry = entries[id]
    return entry === undefined || (last !== undefined && last.entry.at > entry.at) ? last : { id, entry }
  }, undefined)
}

/** Projects one record. */
export const project = (record: TaskRecord.TaskRecord): Projection => {
  const from = record.status === "interrupted" ? record.interruption.from : record.status
  const oldest = from === "delegated" ? TaskRecord.foregroundIds(record)[0] : undefined
  const last = lastReport(record)
  const summary = record.status === "completed" ? record.result : last?.entry.summary
  const { parentId, rootId } = record.lineage
  return {
    status: statusOf(record, oldest !== undefined),
    childIds: [...TaskRecord.collectedIds(record), ...TaskRecord.awaitedIds(record)],
    rootTaskId: rootId,
    ...(oldest === undefined ? {} : { awaitingChildId: oldest, delegatedToId: oldest }),
    ...(last === undefined ? {} : { completedByChildId: last.id }),
    ...(summary === undefined || summary === "" ? {} : { completionResultSummary: summary }),
    ...(parentId === undefined ? {} : { parentTaskId: parentId })
  }
}
