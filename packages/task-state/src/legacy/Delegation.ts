/**
 * Repairs delegation links of the older shape: a parent is released only when its child can no longer report.
 *
 * Pure and idempotent; the order of the items does not matter, and items without a repair stay the very same objects.
 */
import { missingSummary } from "../protocol/Report.ts"
import { type LegacyItem, present, statusOf } from "./Item.ts"

/** Reports one parent that was released, and why. */
export interface LegacyRepair {
  readonly taskId: string
  readonly reason: "no-child" | "child-missing" | "child-completed"
  /** One line for the log. */
  readonly message: string
}

const repairOf = (item: LegacyItem, byId: ReadonlyMap<string, LegacyItem>): LegacyRepair | undefined => {
  if (item.status !== "delegated") return undefined
  const childId = present(item.awaitingChildId)
  const repaired = (reason: LegacyRepair["reason"], why: string) => ({
    taskId: item.id,
    reason,
    message: `Task ${item.id} was delegated, ${why}; it is active again.`
  })
  if (childId === undefined) return repaired("no-child", "but waits for no subtask")
  const child = byId.get(childId)
  if (child === undefined) return repaired("child-missing", `but its subtask ${childId} does not exist`)
  return statusOf(child) === "completed"
    ? repaired("child-completed", `and its subtask ${childId} has completed`)
    : undefined
}

const released = <T extends LegacyItem>(item: T, child: LegacyItem | undefined): T => {
  const { awaitingChildId: _awaiting, delegatedToId: _delegated, ...rest } = item
  const active = { ...rest, status: "active" } as unknown as T
  if (child === undefined) return active
  const summary = child.completionResultSummary?.trim() ? child.completionResultSummary : missingSummary
  return { ...active, completedByChildId: child.id, completionResultSummary: summary }
}

/**
 * Delegated without a child, with a child that does not exist or that has completed: active again, both links cleared,
 * and with the result of a completed child. A child that is active, delegated or interrupted keeps its parent waiting.
 *
 * `log` gets one line a repair.
 */
export const reconcileDelegationState = <T extends LegacyItem>(
  items: ReadonlyArray<T>,
  log: (line: string) => void = () => undefined
): { readonly items: ReadonlyArray<T>; readonly repairs: ReadonlyArray<LegacyRepair> } => {
  const byId = new Map<string, T>(items.map((item) => [item.id, item]))
  const current = [...items]
  const repairs: Array<LegacyRepair> = []
  for (let before = -1; before !== repairs.length;) {
    before = repairs.length
    for (const [index, item] of current.entries()) {
      const repair = repairOf(item, byId)
      if (repair === undefined) continue
      const child = repair.reason === "child-completed" ? byId.get(item.awaitingChildId ?? "") : undefined
      const after = released(item, child)
      current[index] = after
      byId.set(after.id, after)
      repairs.push(repair)
      log(repair.message)
    }
  }
  return { items: current, repairs }
}
