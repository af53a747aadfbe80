/**
 * Which descendants a command on a parent concerns: those it awaits, and those they await, at any depth.
 *
 * Edges are the only path downwards, so a subtask that its parent no longer waits for is never touched. Every list is
 * ordered from the parent down and ends, whatever the records say.
 */
import type { TaskId } from "./TaskId.ts"
import * as TaskRecord from "./TaskRecord.ts"

/** Says how a record is looked up; a `Protocol.View` is one. */
export interface Lookup {
  readonly task: (id: TaskId) => TaskRecord.TaskRecord | undefined
}

const awaited = (lookup: Lookup, id: TaskId): ReadonlyArray<TaskRecord.TaskRecord> => {
  const seen = new Set<TaskId>([id])
  const found: Array<TaskRecord.TaskRecord> = []
  const queue = [id]
  for (const current of queue) {
    const record = lookup.task(current)
    if (record === undefined) continue
    if (current !== id) found.push(record)
    for (const child of TaskRecord.awaitedIds(record)) {
      if (seen.has(child)) continue
      seen.add(child)
      queue.push(child)
    }
  }
  return found
}

/** Lists the tasks to interrupt after the task itself was interrupted: working, waiting or still queued. */
export const toInterrupt = (lookup: Lookup, id: TaskId): ReadonlyArray<TaskId> =>
  awaited(lookup, id)
    .filter((record) => record.status !== "interrupted" && record.status !== "completed")
    .map((record) => record.id)

/** Lists the tasks to resume after the task itself was resumed: interrupted, and waiting for nobody in the foreground. */
export const interruptedLeaves = (lookup: Lookup, id: TaskId): ReadonlyArray<TaskId> =>
  awaited(lookup, id)
    .filter((record) => record.status === "interrupted" && TaskRecord.foregroundIds(record).length === 0)
    .map((record) => record.id)

/** Gives what the same deletion took below a deleted task, from the task down; what was deleted by itself is not of it. */
export const deletedWith = (lookup: Lookup, id: TaskId): ReadonlyArray<TaskId> => {
  const together = TaskRecord.keptOf(lookup.task(id))?.with
  if (together === undefined) return []
  const seen = new Set<TaskId>([id])
  const queue = [id]
  for (const current of queue) {
    const record = lookup.task(current)
    for (const child of record === undefined ? [] : TaskRecord.knownIds(record)) {
      const below = lookup.task(child)
      if (seen.has(child) || below?.lineage.parentId !== current) continue
      if (TaskRecord.keptOf(below)?.with !== together) continue
      seen.add(child)
      queue.push(child)
    }
  }
  return queue.slice(1)
}

/** Everything below a task by its own edges, awaited or collected; a child of another lineage is not below it. */
export const known = (lookup: Lookup, id: TaskId): ReadonlyArray<TaskId> => {
  const seen = new Set<TaskId>([id])
  const queue = [id]
  for (const current of queue) {
    const record = lookup.task(current)
    if (record === undefined) continue
    for (const child of [...TaskRecord.awaitedIds(record), ...TaskRecord.collectedIds(record)]) {
      if (seen.has(child) || lookup.task(child)?.lineage.parentId !== current) continue
      seen.add(child)
      queue.push(child)
    }
  }
  return queue.slice(1)
}
