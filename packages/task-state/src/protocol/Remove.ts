/**
 * Delete: a tombstone in place of the record, in one commit with the parent's Collect `deleted`. Undelete: the record
 * again, unless it was deleted for good; its parent has its report and does not wait again.
 *
 * Nothing that runs is deleted. A parent that another process has is told by that process, which collects the tombstone
 * as it collects any completed child.
 */
import * as Result from "effect/Result"
import type * as Command from "../Command.ts"
import * as Descendants from "../Descendants.ts"
import type { TaskId } from "../TaskId.ts"
import * as TaskRecord from "../TaskRecord.ts"
import * as Transition from "../Transition.ts"
import * as Decision from "./Decision.ts"
import { deletedSummary, lostSummary, reportOf } from "./Report.ts"
import type { RequestOf } from "./Request.ts"
import { held, heldElsewhere, heldHere, occupied, type View } from "./View.ts"

/** The parent stops waiting for the child that is deleted, if nobody else is responsible for it. */
const release = (view: View, record: TaskRecord.TaskRecord, request: RequestOf<"Delete">): Decision.Decided => {
  const { parentId } = record.lineage
  const parent = parentId === undefined ? undefined : view.task(parentId)
  if (parent === undefined || TaskRecord.awaitedEntry(parent, record.id) === undefined) return Decision.accepted
  const here = heldHere(view, parent.id)
  if (occupied(view, parent) !== undefined) {
    // A result that nobody has read yet is not deleted; without one, whoever has the parent finds the tombstone.
    return record.status === "completed" ? Decision.reject(request, record, "AlreadyDone") : Decision.accepted
  }
  const report: Command.Report =
    record.status === "completed" ? reportOf(record) : { id: record.id, outcome: "deleted", summary: deletedSummary }
  const command = { _tag: here ? "Collect" : "CollectUnowned", children: [report], at: view.now } as const
  return Decision.change(parent, command, here ? "keep" : "release", Decision.delivery(parent, [report]))
}

/** One command on each of several records. */
const each = (view: View, ids: ReadonlyArray<TaskId>, command: Command.Command): Decision.Decided => {
  let decision: Decision.Decided = Decision.accepted
  for (const id of ids) {
    const record = view.task(id)
    if (record === undefined) continue
    decision = Result.flatMap(decision, (before) =>
      Result.map(Decision.change(record, command), (one) => Decision.join(before, one))
    )
  }
  return decision
}

/** What was deleted, and what its deletion took with it, is deleted for good. */
const buried = (view: View, record: TaskRecord.TaskRecord): Decision.Decided =>
  each(view, [record.id, ...Descendants.deletedWith(view, record.id)], { _tag: "Delete", at: view.now, by: view.me })

export const remove: Decision.Decide<"Delete"> = (view, request) => {
  const record = view.task(request.taskId)
  if (record === undefined) return Decision.reject(request, record, "NotFound")
  if (TaskRecord.isTombstone(record)) return request.forever === true ? buried(view, record) : Decision.accepted
  const cell = Transition.cell("Delete", record.status)
  if (cell._tag === "reject") return Decision.reject(request, record, cell.rule)
  const below = Descendants.known(view, record.id)
  if (heldElsewhere(view, record.id) || below.some((id) => held(view, id))) {
    return Decision.reject(request, record, "StopFirst")
  }
  let decision: Decision.Decision = Decision.nothing
  const doom = {
    _tag: "Delete",
    at: view.now,
    by: view.me,
    ...(request.forever === true ? {} : { with: record.id })
  } as const
  const graves = request.forever === true ? below.flatMap((id) => Descendants.deletedWith(view, id)) : []
  for (const id of [record.id, ...(request.subtasks === "delete" ? [...below, ...graves] : [])]) {
    const doomed = view.task(id)
    if (doomed === undefined) continue
    const one = Decision.change(doomed, doom, "release")
    if (Result.isFailure(one)) return Decision.reject(request, record, "StopFirst")
    decision = Decision.join(decision, one.success)
  }
  return Result.map(release(view, record, request), (released) => Decision.join(decision, released))
}

/** The reports of children that ended, or are gone, since their parent was deleted. */
const missedBy = (view: View, parent: TaskRecord.TaskRecord): ReadonlyArray<Command.Report> =>
  TaskRecord.awaitedIds(parent).flatMap((id): ReadonlyArray<Command.Report> => {
    const child = view.task(id)
    if (child === undefined) return [{ id, outcome: "lost", summary: lostSummary }]
    return child.status === "completed" ? [reportOf(child)] : []
  })

export const undelete: Decision.Decide<"Undelete"> = (view, request) => {
  const record = view.task(request.taskId)
  if (record === undefined) return Decision.reject(request, record, "NotFound")
  if (!TaskRecord.isTombstone(record)) return Decision.accepted
  const kept = TaskRecord.keptOf(record)
  if (kept === undefined) return Decision.reject(request, record, "Deleted")
  if (kept.with !== record.id) return Decision.reject(request, record, "DeletedWith")
  const ids = [record.id, ...Descendants.deletedWith(view, record.id)]
  return Result.flatMap(each(view, ids, { _tag: "Undelete" }), (back) => {
    const after = Decision.after(view, back)
    let decision: Decision.Decided = Result.succeed(back)
    for (const id of ids) {
      const parent = after.task(id)
      const reports = parent === undefined ? [] : missedBy(after, parent)
      if (parent === undefined || reports.length === 0) continue
      const command = { _tag: "CollectUnowned", children: reports, at: view.now } as const
      const collected = Decision.change(parent, command, "keep", Decision.delivery(parent, reports))
      decision = Result.flatMap(decision, (all) => Result.map(collected, (one) => Decision.join(all, one)))
    }
    return decision
  })
}
