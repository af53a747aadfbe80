/**
 * Delete: a tombstone in place of the record, in one commit with the parent's Collect `deleted`.
 *
 * Nothing that runs is deleted. A parent that another process has is told by that process, which collects the tombstone
 * as it collects any completed child.
 */
import * as Result from "effect/Result"
import type * as Command from "../Command.ts"
import * as Descendants from "../Descendants.ts"
import * as TaskRecord from "../TaskRecord.ts"
import * as Transition from "../Transition.ts"
import * as Decision from "./Decision.ts"
import { deletedSummary, reportOf } from "./Report.ts"
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

export const remove: Decision.Decide<"Delete"> = (view, request) => {
  const record = view.task(request.taskId)
  if (record === undefined) return Decision.reject(request, record, "NotFound")
  if (TaskRecord.isTombstone(record)) return Decision.accepted
  const cell = Transition.cell("Delete", record.status)
  if (cell._tag === "reject") return Decision.reject(request, record, cell.rule)
  const below = Descendants.known(view, record.id)
  if (heldElsewhere(view, record.id) || below.some((id) => held(view, id))) {
    return Decision.reject(request, record, "StopFirst")
  }
  let decision: Decision.Decision = Decision.nothing
  for (const id of [record.id, ...(request.subtasks === "delete" ? below : [])]) {
    const doomed = view.task(id)
    if (doomed === undefined) continue
    const one = Decision.change(doomed, { _tag: "Delete", at: view.now, by: view.me }, "release")
    if (Result.isFailure(one)) return Decision.reject(request, record, "StopFirst")
    decision = Decision.join(decision, one.success)
  }
  return Result.map(release(view, record, request), (released) => Decision.join(decision, released))
}
