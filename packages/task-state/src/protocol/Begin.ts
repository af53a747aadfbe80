/** How tasks come into being and are started: Create, Start, Continue, Fork. */
import * as Result from "effect/Result"
import * as Command from "../Command.ts"
import * as TaskRecord from "../TaskRecord.ts"
import * as Decision from "./Decision.ts"
import { heldElsewhere, heldHere, type View } from "./View.ts"

/** The same root was made by the same process for the same reason. */
const isSame = (existing: TaskRecord.TaskRecord, wanted: TaskRecord.Created): boolean =>
  existing.lineage.parentId === undefined &&
  existing.createdBy === wanted.createdBy &&
  existing.continuesTaskId === wanted.continuesTaskId &&
  existing.forkedFrom === wanted.forkedFrom

const created = (
  view: View,
  request: Parameters<typeof Decision.reject>[0],
  wanted: TaskRecord.Created
): Decision.Decided => {
  const existing = view.task(wanted.id)
  if (existing === undefined) return Result.succeed({ changes: [Decision.creation(wanted)], settlements: [] })
  if (TaskRecord.isTombstone(existing)) return Decision.reject(request, existing, "Deleted")
  return isSame(existing, wanted) ? Decision.accepted : Decision.reject(request, existing, "ChildExists")
}

export const create: Decision.Decide<"Create"> = (view, request) => {
  const { continuesTaskId, taskId } = request
  const root = Command.newRoot(taskId, view.me)
  return created(view, request, continuesTaskId === undefined ? root : { ...root, continuesTaskId })
}

/** A root waits for nobody, and a child of a deleted parent is treated as one. */
const isAwaited = (view: View, record: TaskRecord.TaskRecord): boolean => {
  const { parentId } = record.lineage
  if (parentId === undefined) return true
  const parent = view.task(parentId)
  if (parent === undefined) return false
  return TaskRecord.isTombstone(parent) || TaskRecord.awaitedEntry(parent, record.id) !== undefined
}

export const start: Decision.Decide<"Start"> = (view, request) => {
  const record = view.task(request.taskId)
  if (record === undefined) return Decision.reject(request, record, "NotFound")
  if (heldElsewhere(view, record.id)) return Decision.reject(request, record, "Owned")
  if (record.status === "created" && !isAwaited(view, record)) return Decision.reject(request, record, "NotAwaited")
  if (record.status === "active" && !heldHere(view, record.id)) {
    return Decision.reject(request, record, "InterruptFirst")
  }
  return Decision.change(record, { _tag: "Start" }, "take")
}

export const continueTask: Decision.Decide<"Continue"> = (view, request) => {
  const source = view.task(request.taskId)
  if (source === undefined) return Decision.reject(request, source, "NotFound")
  if (source.status === "created") return Decision.reject(request, source, "NotStarted")
  if (source.status !== "completed") return Decision.reject(request, source, "NotCompleted")
  return created(view, request, Command.continuing(source, request.as, view.me))
}

export const fork: Decision.Decide<"Fork"> = (view, request) => {
  const source = view.task(request.taskId)
  if (source === undefined) return Decision.reject(request, source, "NotFound")
  if (source.status === "created") return Decision.reject(request, source, "NotStarted")
  return created(view, request, Command.forking(source, request.as, view.me))
}
