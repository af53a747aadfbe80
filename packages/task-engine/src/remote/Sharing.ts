/** Two tasks that may write in one folder at the same time, wherever each of them runs. */
import type { History } from "@belay/history-store"

/** A process has it, and it changes files. */
const mayWrite = ({ lease, meta }: History.TaskRow): boolean => lease?.alive === true && meta.mode === "act"

/** Of two tasks of other trees: a subtask works in the folder of its task, and shares it by what it is. */
export const share = (one: History.TaskRow, other: History.TaskRow): boolean =>
  one.record.lineage.rootId !== other.record.lineage.rootId &&
  one.meta.workspace === other.meta.workspace &&
  mayWrite(one) &&
  mayWrite(other)
