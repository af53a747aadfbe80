/** The tasks that steps name: what they write is in the trees of these. */
import type { TaskId } from "@belay/task-state"
import type * as Step from "../../history/Step.ts"

const ofRequest = ({ request }: Extract<Step.Step, { readonly _tag: "Lifecycle" }>): ReadonlyArray<TaskId.TaskId> => {
  const children = "children" in request ? request.children : []
  return [
    request.taskId,
    ...children.map((child) => (typeof child === "string" ? child : child.id)),
    ...("to" in request ? [request.to] : []),
    ...("as" in request ? [request.as] : [])
  ]
}

const ofStep = (step: Step.Step): ReadonlyArray<TaskId.TaskId> => {
  switch (step._tag) {
    case "Lifecycle":
      return ofRequest(step)
    case "Import":
      return [step.task.record.id, step.task.record.lineage.rootId]
    case "Describe":
      return step.after === undefined ? [step.taskId] : [step.taskId, step.after.taskId]
    case "ReserveSession":
      return [step.session.id]
    case "ForgetSession":
      return [step.id]
    default:
      return "taskId" in step ? [step.taskId] : []
  }
}

/** Each once. */
export const of = (steps: ReadonlyArray<Step.Step>): ReadonlyArray<TaskId.TaskId> => [...new Set(steps.flatMap(ofStep))]
