/**
 * The delegation protocol: what one commit changes, decided from what that commit reads.
 *
 * `decide` is pure. It sees the history through a `View`, checks leases, attempts and the records of parents and
 * children, and returns every change of that commit or the rule that forbids it; nothing is changed in part. Stores
 * apply a `Decision`; none has a method that sets a status. A store that does not read the view inside its transaction
 * applies a decision only while `isCurrent` holds of it there.
 */
import * as Result from "effect/Result"
import * as Begin from "./protocol/Begin.ts"
import * as Collect from "./protocol/Collect.ts"
import * as Decision from "./protocol/Decision.ts"
import { delegate } from "./protocol/Delegate.ts"
import * as End from "./protocol/End.ts"
import * as Release from "./protocol/Release.ts"
import { remove, undelete } from "./protocol/Remove.ts"
import type { Request } from "./protocol/Request.ts"
import * as Resume from "./protocol/Resume.ts"
import { traced, type View } from "./protocol/View.ts"
import * as TaskRecord from "./TaskRecord.ts"

export { after, type Change, type Decision, isCurrent, nothing, type Settlement } from "./protocol/Decision.ts"
export {
  abandonedSummary,
  deletedSummary,
  lostSummary,
  missingSummary,
  reportOf,
  restartedSummary
} from "./protocol/Report.ts"
export { defaultLimits, type Limits, type Request } from "./protocol/Request.ts"
export type { Read, View } from "./protocol/View.ts"

/** The calls that the reports of awaited children answer. */
export const settlementsOf = (
  parent: TaskRecord.TaskRecord,
  children: Parameters<typeof Decision.delivery>[1]
): ReadonlyArray<Decision.Settlement> => Decision.delivery(parent, children).settlements

const dispatch = (view: View, request: Request): Decision.Decided => {
  switch (request._tag) {
    case "Create":
      return Begin.create(view, request)
    case "Start":
      return Begin.start(view, request)
    case "Continue":
      return Begin.continueTask(view, request)
    case "Fork":
      return Begin.fork(view, request)
    case "Delegate":
    case "DelegateBackground":
      return delegate(view, request)
    case "Collect":
      return Collect.collect(view, request)
    case "CollectUnowned":
      return Collect.collectUnowned(view, request)
    case "Restart":
      return Release.restart(view, request)
    case "Abandon":
      return Release.abandon(view, request)
    case "Interrupt":
      return End.interrupt(view, request)
    case "Resume":
      return Resume.resume(view, request)
    case "TakeOver":
      return Resume.takeOver(view, request)
    case "Complete":
      return End.complete(view, request)
    case "Close":
      return End.close(view, request)
    case "Delete":
      return remove(view, request)
    case "Undelete":
      return undelete(view, request)
  }
}

/** Decides one request; `nothing` when it has already happened. */
export const decide = (view: View, request: Request): Decision.Decided => {
  const { reads, view: looking } = traced(view)
  const record = looking.task(request.taskId)
  if (TaskRecord.isTombstone(record) && request._tag !== "Delete" && request._tag !== "Undelete") {
    return Decision.reject(request, record, "Deleted")
  }
  return Result.map(dispatch(looking, request), (decision) => Decision.withReads(decision, reads()))
}
