/** How a task stops: Interrupt keeps every link, Complete and Close are final. */
import * as Decision from "./Decision.ts"
import { heldElsewhere, holds, refusal } from "./View.ts"

export const interrupt: Decision.Decide<"Interrupt"> = (view, request) => {
  const record = view.task(request.taskId)
  if (record === undefined) return Decision.reject(request, record, "NotFound")
  if (record.status === "completed" || record.status === "interrupted") return Decision.accepted
  if (request.attempt !== undefined && !holds(view, record, request.attempt)) {
    return Decision.reject(request, record, "LeaseLost")
  }
  if (heldElsewhere(view, record.id)) return Decision.reject(request, record, "Owned")
  return Decision.change(record, { _tag: "Interrupt", reason: request.reason }, "release")
}

export const complete: Decision.Decide<"Complete"> = (view, request) => {
  const record = view.task(request.taskId)
  if (record === undefined) return Decision.reject(request, record, "NotFound")
  if (record.status === "completed") {
    return record.attempt === request.attempt ? Decision.accepted : Decision.reject(request, record, "LeaseLost")
  }
  const refused = refusal(view, record, request)
  if (refused !== undefined) return Decision.reject(request, record, refused)
  return Decision.change(record, { _tag: "Complete", outcome: request.outcome, result: request.result }, "release")
}

export const close: Decision.Decide<"Close"> = (view, request) => {
  const record = view.task(request.taskId)
  if (record === undefined) return Decision.reject(request, record, "NotFound")
  return Decision.change(record, { _tag: "Close", outcome: request.outcome, note: request.note }, "release")
}
