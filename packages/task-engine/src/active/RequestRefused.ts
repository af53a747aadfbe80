/** Why an answer or a message changed nothing. */
import { TaskId } from "@belay/task-state"
import * as Schema from "effect/Schema"

const reasons = {
  notRunning: "it does not run here",
  running: "it is not stopped",
  unknownAsk: "it does not wait for an answer to this ask",
  alreadyAnswered: "the ask is already answered",
  needsDecision: "this ask is answered by allow or deny",
  blankTitle: "a title needs a character that can be seen",
  blankMessage: "a message needs words",
  unreadable: "what was asked cannot be read",
  needsText: "this ask is answered in words",
  unknownFile: "only a file that this ask shows can be given another text, and only with a yes",
  notOffered: "this ask does not offer to allow that much",
  needsRun: "a task that does not run cannot take this answer; it asks again when it goes on"
} as const

export type Reason = keyof typeof reasons

/** A request that came too late, or to the wrong process. Nothing has changed. `hint` says what a host can offer. */
export class RequestRefused extends Schema.TaggedError<RequestRefused>()("RequestRefused", {
  taskId: TaskId.TaskId,
  reason: Schema.Literals(Object.keys(reasons) as Array<Reason>)
}) {
  /** The refusal that another process gave as one word. */
  static because(taskId: TaskId.TaskId, why: string): RequestRefused {
    return new RequestRefused({ taskId, reason: Object.hasOwn(reasons, why) ? (why as Reason) : "notRunning" })
  }

  override get message() {
    if (this.reason === "alreadyAnswered") return "This was already answered."
    return `task ${this.taskId} is unchanged: ${reasons[this.reason]}.`
  }

  get hint(): "showTask" {
    return "showTask"
  }
}

export const refused = (taskId: TaskId.TaskId, reason: Reason): RequestRefused => new RequestRefused({ taskId, reason })
