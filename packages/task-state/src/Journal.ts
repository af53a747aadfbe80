/**
 * The lifecycle events of a change: what the journal keeps, and what every reader of a task sees.
 *
 * Pure and derived from the change alone, so the journal and the record cannot disagree.
 */
import type * as Protocol from "./Protocol.ts"
import type { TaskId } from "./TaskId.ts"
import * as TaskRecord from "./TaskRecord.ts"

/** Tells one change of one task; `type` says which. Every commit stores its events beside the change. */
export type LifecycleEvent =
  | {
      readonly type: "task.created"
      readonly parentId?: TaskId
      readonly rootId: TaskId
      readonly continuesTaskId?: TaskId
      readonly forkedFrom?: TaskId
    }
  | {
      readonly type: "task.status"
      readonly from: TaskRecord.Status | null
      readonly to: TaskRecord.Status
      readonly command: string
      readonly attempt: number
      readonly owner: string
      readonly rev: number
      readonly reason?: TaskRecord.InterruptReason
    }
  | {
      readonly type: "delegation.started"
      readonly children: ReadonlyArray<{
        readonly taskId: TaskId
        readonly callId: string
        readonly background: boolean
      }>
    }
  | {
      readonly type: "delegation.collected"
      readonly childId: TaskId
      readonly callId: string
      readonly outcome: TaskRecord.CollectedOutcome
    }
  | { readonly type: "task.completed"; readonly outcome: TaskRecord.Outcome; readonly result: string }
  | { readonly type: "task.deleted"; readonly by: string }
  /** Its deletion was taken back: the task is what it was before. */
  | { readonly type: "task.undeleted"; readonly by: string; readonly rev: number }

const edgesStarted = (before: TaskRecord.TaskRecord | undefined, after: TaskRecord.TaskRecord) => {
  const isNew = (id: TaskId) => before === undefined || TaskRecord.awaitedEntry(before, id) === undefined
  return TaskRecord.awaitedIds(after).flatMap((id) => {
    const entry = isNew(id) ? TaskRecord.awaitedEntry(after, id) : undefined
    return entry === undefined ? [] : [{ taskId: id, callId: entry.callId, background: entry.wait === "background" }]
  })
}

const edgesCollected = (before: TaskRecord.TaskRecord | undefined, after: TaskRecord.TaskRecord) => {
  const known = before === undefined ? {} : TaskRecord.collected(before)
  return Object.entries(TaskRecord.collected(after))
    .filter(([id]) => !Object.hasOwn(known, id))
    .map(([id, entry]) => ({
      type: "delegation.collected" as const,
      childId: id as TaskId,
      callId: entry.callId,
      outcome: entry.outcome
    }))
}

/** An event as it is told today: histories that were written before say otherwise of a subtask that was restarted. */
export const asToday = <E extends object>(event: E): E => {
  const stored = event as { readonly outcome?: unknown; readonly command?: unknown }
  if (stored.outcome === "superseded") return { ...event, outcome: "restarted" }
  return stored.command === "Redelegate" ? { ...event, command: "Restart" } : event
}

/** The events of one change, in the order in which they are to be read. */
export const eventsOf = (change: Protocol.Change, owner: string): ReadonlyArray<LifecycleEvent> => {
  const { after, before } = change
  if (after === undefined) return []
  if (before === undefined) {
    const { parentId, rootId } = after.lineage
    return [
      {
        type: "task.created",
        rootId,
        ...(parentId === undefined ? {} : { parentId }),
        ...(after.continuesTaskId === undefined ? {} : { continuesTaskId: after.continuesTaskId }),
        ...(after.forkedFrom === undefined ? {} : { forkedFrom: after.forkedFrom })
      }
    ]
  }
  if (TaskRecord.isTombstone(after)) return [{ type: "task.deleted", by: after.deletedBy ?? owner }]
  if (TaskRecord.isTombstone(before)) return [{ type: "task.undeleted", by: owner, rev: after.rev }]
  const started = edgesStarted(before, after)
  return [
    ...(started.length === 0 ? [] : [{ type: "delegation.started" as const, children: started }]),
    ...edgesCollected(before, after),
    {
      type: "task.status",
      from: before.status,
      to: after.status,
      command: change.command,
      attempt: after.attempt,
      owner,
      rev: after.rev,
      ...(after.status === "interrupted" ? { reason: after.interruption.reason } : {})
    },
    ...(after.status === "completed"
      ? [{ type: "task.completed" as const, outcome: after.outcome, result: after.result }]
      : [])
  ]
}
