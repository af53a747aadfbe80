/** Which records need not be looked at again before they change, or one that they belong to. */
import * as TaskRecord from "../TaskRecord.ts"
import type { Facts } from "./Repair.ts"

/**
 * A stopped task without a lease, whose parent is there, and whose awaited children are and have not completed. When no rule finds
 * anything to repair in it, none does until its record or one of those of its awaited children changes, or one of them or
 * its parent is gone: at rest it opens no call and takes no lease without that. A store need not ask about it before.
 */
export const isAtRest = (record: TaskRecord.TaskRecord, facts: Facts): boolean => {
  if (record.status !== "interrupted" || facts.leases.has(record.id)) return false
  const { parentId } = record.lineage
  if (parentId !== undefined && !facts.tasks.has(parentId)) return false
  return TaskRecord.awaitedIds(record).every((id) => {
    const child = facts.tasks.get(id)
    return child !== undefined && child.status !== "completed" && child.lineage.parentId === record.id
  })
}
