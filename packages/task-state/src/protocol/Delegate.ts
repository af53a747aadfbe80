/** How a task starts to wait for subtasks: Delegate and DelegateBackground, children and edges in one commit. */
import * as Result from "effect/Result"
import type * as Command from "../Command.ts"
import type { TaskId } from "../TaskId.ts"
import * as TaskRecord from "../TaskRecord.ts"
import * as Decision from "./Decision.ts"
import { refusal, type View } from "./View.ts"

/** This very call has been delegated already, whether or not its child has reported since. */
const isDelegated = (parent: TaskRecord.TaskRecord, child: Command.Child): boolean =>
  (TaskRecord.awaitedEntry(parent, child.id) ?? TaskRecord.collectedEntry(parent, child.id))?.callId === child.callId

/** The record of a new child: its lineage continues its parent's, for good. */
export const childOf = (
  parent: TaskRecord.TaskRecord,
  child: Pick<Command.Child, "id" | "callId">,
  createdBy: string
): TaskRecord.Created => ({
  status: "created",
  id: child.id,
  rev: 1,
  attempt: 0,
  lineage: {
    parentId: parent.id,
    rootId: parent.lineage.rootId,
    originCallId: child.callId,
    depth: parent.lineage.depth + 1
  },
  createdBy
})

/** An id that no task has, or had. */
export const isFree = (view: View, parent: TaskRecord.TaskRecord, id: TaskId): boolean =>
  view.task(id) === undefined && TaskRecord.collectedEntry(parent, id) === undefined

export const delegate: Decision.Decide<"Delegate" | "DelegateBackground"> = (view, request) => {
  const { children, limits } = request
  const parent = view.task(request.taskId)
  if (parent === undefined) return Decision.reject(request, parent, "NotFound")
  if (children.length > 0 && children.every((child) => isDelegated(parent, child))) return Decision.accepted
  const refused = refusal(view, parent, request)
  if (refused !== undefined) return Decision.reject(request, parent, refused)
  if (parent.lineage.depth + 1 > limits.depth) return Decision.reject(request, parent, "TooDeep")
  if (TaskRecord.awaitedIds(parent).length + children.length > limits.fanOut) {
    return Decision.reject(request, parent, "TooMany")
  }
  const ids = new Set(children.map((child) => child.id))
  if (ids.size < children.length || ![...ids].every((id) => isFree(view, parent, id))) {
    return Decision.reject(request, parent, "ChildExists")
  }
  return Result.map(Decision.change(parent, { _tag: request._tag, children, at: view.now }), (waiting) => ({
    settlements: [],
    changes: [...children.map((child) => Decision.creation(childOf(parent, child, view.me))), ...waiting.changes]
  }))
}
