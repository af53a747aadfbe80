/** Why an answer or a message changed nothing. */
import { TaskId } from "@belay/task-state"
import * as Schema from "effect/Schema"

const reasons = {
  notRunning: "it does not run here",
  running: "it is not stopped",
  unknownAsk: "it does not wait for an answer to this ask",
  alreadyAnswered: "the ask is already answered",
  needsDecision: "this ask is answered by allow or deny",
  needsText: "this ask is answered in words",
  needsRun: "a task that does not run cannot take this answer; it asks again when it goes on"
} as const

export type Reason = keyof typeof reasons

export class RequestRefused extends Schema.TaggedError<RequestRefused>()("RequestRefused", {
  taskId: TaskId.TaskId,
  reason: Schema.Literals(Object.keys(reasons) as Array<Reason>)
}) {
  override get message() {
    return `task ${this.taskId} is unchanged: ${reasons[this.reason]}. See "belay task show ${this.taskId}".`
  }
}

export const refused = (taskId: TaskId.TaskId, reason: Reason): RequestRefused => new RequestRefused({ taskId, reason })
