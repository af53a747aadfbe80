/**
 * Reconciliation: records in, repairs out.
 *
 * It acts only for tasks that no live process is responsible for, is idempotent, and does not depend on the order of the
 * records: every repair is decided on the whole history, and one task gets at most one repair a round. A repair is a
 * decision like any other and is dropped when a record it was derived from has changed. No rule touches a task of a process
 * that may live, one that waits for children that have not completed, or one that is completed; a task whose parent is gone
 * is a root. `docs/lifecycle.md` has the rules by name. What only old data needs is in `legacy`.
 */
import type { TaskId } from "./TaskId.ts"
import type * as TaskRecord from "./TaskRecord.ts"
import * as Edges from "./reconcile/Edges.ts"
import * as Owners from "./reconcile/Owners.ts"
import type { Facts, Repair, Rule } from "./reconcile/Repair.ts"
import * as Stored from "./reconcile/Stored.ts"
import { isTombstone } from "./TaskRecord.ts"

export { lostSummary, missingSummary } from "./protocol/Report.ts"
export { type Facts, isCurrent, type Repair } from "./reconcile/Repair.ts"
export { type RepairRule, ruleOf, storedAs } from "./reconcile/RepairRule.ts"
export { isAtRest } from "./reconcile/Rest.ts"

const rules: ReadonlyArray<Rule> = [
  Edges.missingRecords,
  Owners.deadRunner,
  Owners.deadCreator,
  Edges.cycles,
  Edges.strangers,
  Edges.nothingAwaited,
  Edges.completedChildren,
  Edges.absentChildren,
  Stored.unfinishedDeletion,
  Stored.openCalls
]

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

/** A root, or a child whose parent is gone: its lineage is kept for display. */
export const isRoot = (
  record: TaskRecord.TaskRecord,
  task: (id: TaskId) => TaskRecord.TaskRecord | undefined
): boolean => {
  const { parentId } = record.lineage
  const parent = parentId === undefined ? undefined : task(parentId)
  return parent === undefined || isTombstone(parent)
}
