/**
 * How often one reconciliation tries the same: it ends whatever is in the file.
 *
 * A repair that is found again after it was carried out has changed nothing, as when two things are damaged of which one
 * would be needed to put back the other. It holds the write lock meanwhile, and is given up.
 */
import type { TaskId } from "@belay/task-state"
import type { AppliedRepair } from "../../history/TaskHistory.ts"

/** One more than could be chance: two repairs may undo each other's first. */
const triesAtMost = 3

/** Longer than any chain of tasks; what is left then is found by the next reconciliation. */
export const roundsAtMost = 1000

export interface Tries {
  /** Counts it; false when it has been tried often enough. */
  readonly take: (repair: AppliedRepair) => boolean
  /** The same without counting it. */
  readonly isOver: (taskId: TaskId.TaskId, rule: string) => boolean
  /** What was carried out to some end. */
  readonly done: (repairs: ReadonlyArray<AppliedRepair>) => ReadonlyArray<AppliedRepair>
}

const keyOf = ({ detail, rule, taskId }: AppliedRepair): string => JSON.stringify([taskId, rule, detail])

export const make = (): Tries => {
  const counts = new Map<string, number>()
  const over = new Map<string, Pick<AppliedRepair, "taskId" | "rule">>()
  return {
    take: (repair) => {
      const key = keyOf(repair)
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      if (count > triesAtMost) over.set(key, repair)
      return count <= triesAtMost
    },
    isOver: (taskId, rule) => [...over.values()].some((one) => one.taskId === taskId && one.rule === rule),
    done: (repairs) => repairs.filter((repair) => !over.has(keyOf(repair)))
  }
}
