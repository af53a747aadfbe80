/**
 * States that are derived from records and leases and never stored.
 */
import type { TaskId } from "./TaskId.ts"
import * as TaskRecord from "./TaskRecord.ts"

/** Describes what a derivation may look at; `running` says that a live process holds the task's lease. */
export interface Facts {
  readonly task: (id: TaskId) => TaskRecord.TaskRecord | undefined
  readonly running: (id: TaskId) => boolean
}

/**
 * `queued` exists and nobody has started it, `running` a live process is responsible, `orphaned` should run and nobody
 * does, `blocked` every foreground child is interrupted or blocked, `ready` every foreground child has completed and
 * nobody runs it.
 */
export type Derived = "queued" | "running" | "orphaned" | "blocked" | "ready" | null

const children = (record: TaskRecord.TaskRecord, facts: Facts) =>
  TaskRecord.foregroundIds(record).map((id) => facts.task(id))

const isStuck = (child: TaskRecord.TaskRecord | undefined, facts: Facts, seen: ReadonlySet<TaskId>): boolean =>
  child !== undefined &&
  (child.status === "interrupted" || (child.status === "delegated" && isBlocked(child, facts, seen)))

const isBlocked = (record: TaskRecord.TaskRecord, facts: Facts, seen: ReadonlySet<TaskId>): boolean => {
  if (seen.has(record.id)) return false
  const path = new Set([...seen, record.id])
  const awaited = children(record, facts)
  return awaited.length > 0 && awaited.every((child) => isStuck(child, facts, path))
}

/** The derived state of a record; `null` when its status says all there is to say. */
export const derive = (record: TaskRecord.TaskRecord, facts: Facts): Derived => {
  switch (record.status) {
    case "created":
      return "queued"
    case "active":
      return facts.running(record.id) ? "running" : "orphaned"
    case "delegated": {
      if (isBlocked(record, facts, new Set())) return "blocked"
      if (facts.running(record.id)) return "running"
      return children(record, facts).every((child) => child?.status === "completed") ? "ready" : "orphaned"
    }
    case "interrupted":
      return record.interruption.reason === "ready" ? "ready" : null
    case "completed":
      return null
  }
}
