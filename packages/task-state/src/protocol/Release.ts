/**
 * How a parent is released from a child that has not completed: Abandon and Restart.
 *
 * A person's explicit choice, on the parent, in one commit with the answer of its call. The child is not stopped by it
 * and keeps what it has; it can no longer report.
 */
import * as Result from "effect/Result"
import type * as Command from "../Command.ts"
import * as Derived from "../Derived.ts"
import * as Descendants from "../Descendants.ts"
import type { TaskId } from "../TaskId.ts"
import * as TaskRecord from "../TaskRecord.ts"
import * as Transition from "../Transition.ts"
import * as Decision from "./Decision.ts"
import { childOf, isFree } from "./Delegate.ts"
import { abandonedSummary, restartedSummary } from "./Report.ts"
import type { RequestOf } from "./Request.ts"
import { held, heldHere, occupied, type View } from "./View.ts"

/** What forbids to release `parent` from `child`. A completed child has a result, which is collected instead. */
const refusal = (
  view: View,
  parent: TaskRecord.TaskRecord,
  request: RequestOf<"Abandon" | "Restart">
): Transition.Rule | undefined => {
  const cell = Transition.cell(request._tag, parent.status)
  if (cell._tag === "reject") return cell.rule
  const rule = occupied(view, parent)
  if (rule !== undefined) return rule
  if (TaskRecord.awaitedEntry(parent, request.child) === undefined) return "NotWaiting"
  return view.task(request.child)?.status === "completed" ? "AlreadyDone" : undefined
}

export const abandon: Decision.Decide<"Abandon"> = (view, request) => {
  const { child, taskId } = request
  const parent = view.task(taskId)
  if (parent === undefined) return Decision.reject(request, parent, "NotFound")
  if (TaskRecord.collectedEntry(parent, child)?.outcome === "abandoned") return Decision.accepted
  const rule = refusal(view, parent, request)
  if (rule !== undefined) return Decision.reject(request, parent, rule)
  const children = [{ id: child, outcome: "abandoned", summary: abandonedSummary }] as const
  const here = heldHere(view, taskId)
  const command: Command.Command = { _tag: "Abandon", children, held: here, at: view.now }
  return Decision.change(parent, command, here ? "keep" : "release", Decision.delivery(parent, children))
}

/** Interrupted or blocked, and nothing below is at work either: what would be done twice is stopped first. */
const isStuck = (view: View, id: TaskId): boolean => {
  const record = view.task(id)
  if (record === undefined) return true
  const facts = { task: view.task, running: (other: TaskId) => held(view, other) }
  const stuck = record.status === "interrupted" || Derived.derive(record, facts) === "blocked"
  return stuck && Descendants.toInterrupt(view, id).every((other) => view.task(other)?.status !== "active")
}

export const restart: Decision.Decide<"Restart"> = (view, request) => {
  const { child, taskId, to } = request
  const parent = view.task(taskId)
  if (parent === undefined) return Decision.reject(request, parent, "NotFound")
  if (
    TaskRecord.collectedEntry(parent, child)?.outcome === "restarted" &&
    (TaskRecord.awaitedEntry(parent, to) ?? TaskRecord.collectedEntry(parent, to)) !== undefined
  ) {
    return Decision.accepted
  }
  const rule = refusal(view, parent, request)
  if (rule !== undefined) return Decision.reject(request, parent, rule)
  const entry = TaskRecord.awaitedEntry(parent, child)
  if (entry === undefined) return Decision.reject(request, parent, "NotWaiting")
  if (!isStuck(view, child)) return Decision.reject(request, parent, "NotStuck")
  if (!isFree(view, parent, to)) return Decision.reject(request, parent, "ChildExists")
  const { callId, wait } = entry
  const children = [{ id: child, outcome: "restarted", summary: restartedSummary(to) }] as const
  const command = { _tag: "Restart", children, to: { id: to, callId, wait }, at: view.now } as const
  return Result.map(Decision.change(parent, command, "keep", Decision.delivery(parent, children)), (swapped) => ({
    ...swapped,
    changes: [Decision.creation(childOf(parent, { id: to, callId }, view.me)), ...swapped.changes]
  }))
}
