/** What a parent is told about a child that will not say more; an empty answer would be refused by models. */
import type * as Command from "../Command.ts"
import type { TaskId } from "../TaskId.ts"
import * as TaskRecord from "../TaskRecord.ts"
import type { View } from "./View.ts"

/** The report of a child that completed without a result. */
export const missingSummary = "The subtask finished without leaving a summary."
/** The report of a child that is gone, or that is another task's. */
export const lostSummary =
  "This subtask will not report back: it is gone, or belongs to another task. It is not known what it did; check before relying on it."
/** The report of a child whose parent went on before it had ended. */
export const unfinishedSummary =
  "This task went on before the subtask had ended. It will not report back; check what it did before relying on it."
/** The report of a child that the user deleted. */
export const deletedSummary = "The user deleted this subtask. What it has already changed stays changed."
/** The report of a child that the user abandoned. */
export const abandonedSummary =
  "The user abandoned this subtask. It will not report back; what it has already changed stays changed."
/** Makes the report of a child that the user replaced by the task `by`. */
export const restartedSummary = (by: TaskId): string =>
  `The user started this subtask over as task ${by}. This one will not report back; the new one will.`

/** Gives what a completed child reports; of a deleted one, only that. */
export const reportOf = (child: TaskRecord.Completed): Command.Report =>
  TaskRecord.isTombstone(child)
    ? { id: child.id, outcome: "deleted", summary: deletedSummary }
    : { id: child.id, outcome: child.outcome, summary: child.result.trim() === "" ? missingSummary : child.result }

/** The reports of those awaited children that have completed. */
export const reports = (
  view: Pick<View, "task">,
  parent: TaskRecord.TaskRecord,
  children: ReadonlyArray<TaskId>
): ReadonlyArray<Command.Report> =>
  children.flatMap((id): ReadonlyArray<Command.Report> => {
    const child = view.task(id)
    if (child?.status !== "completed" || TaskRecord.awaitedEntry(parent, id) === undefined) return []
    return [reportOf(child)]
  })
