/** How a task gets a runner again: Resume of what nobody runs, TakeOver of what a live process runs. */
import * as Result from "effect/Result"
import type * as Command from "../Command.ts"
import * as TaskRecord from "../TaskRecord.ts"
import * as Transition from "../Transition.ts"
import * as Decision from "./Decision.ts"
import { reports } from "./Report.ts"
import { heldElsewhere, heldHere } from "./View.ts"

/** What must happen to a task before Resume itself: a dead runner is noticed, what completed meanwhile is collected. */
const beforeResume = (record: TaskRecord.TaskRecord, children: ReadonlyArray<Command.Report>, at: number) => {
  const collectFirst: Command.Command = { _tag: "CollectUnowned", children, at }
  switch (record.status) {
    case "active":
      return [{ _tag: "Interrupt", reason: "crash" } as const, collectFirst]
    case "delegated":
    case "interrupted":
      return [collectFirst]
    default:
      return []
  }
}

export const resume: Decision.Decide<"Resume"> = (view, request) => {
  const record = view.task(request.taskId)
  if (record === undefined) return Decision.reject(request, record, "NotFound")
  if (heldElsewhere(view, record.id)) return Decision.reject(request, record, "Owned")
  const working = record.status === "active" || record.status === "delegated"
  if (working && heldHere(view, record.id)) return Decision.accepted
  const children = reports(view, record, TaskRecord.awaitedIds(record))
  const changes: Array<Decision.Change> = []
  let current = record
  for (const command of [...beforeResume(record, children, view.now), { _tag: "Resume" } as const]) {
    const step = Decision.change(current, command, command._tag === "Resume" ? "take" : "release")
    if (Result.isFailure(step)) return step
    changes.push(...step.success.changes)
    current = step.success.changes[0]?.after ?? current
  }
  return Result.succeed({ changes, ...Decision.delivery(record, children) })
}

export const takeOver: Decision.Decide<"TakeOver"> = (view, request) => {
  const record = view.task(request.taskId)
  if (record === undefined) return Decision.reject(request, record, "NotFound")
  const cell = Transition.cell("TakeOver", record.status)
  if (cell._tag === "reject") return Decision.reject(request, record, cell.rule)
  if (heldHere(view, record.id)) return Decision.accepted
  if (!heldElsewhere(view, record.id)) return Decision.reject(request, record, "UseResume")
  return Decision.change(record, { _tag: "TakeOver" }, "take")
}
