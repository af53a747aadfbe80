/** A call that the log does not show as requested by the turn that is carried out: it is never run. */
import { TaskId } from "@belay/task-state"
import * as Schema from "effect/Schema"

/** Nothing of the turn was run, and the task stops; what the log holds is as it was. */
export class UnloggedCall extends Schema.TaggedError<UnloggedCall>()("UnloggedCall", {
  taskId: TaskId.TaskId,
  callId: Schema.String,
  name: Schema.String
}) {
  override get message() {
    return `The call ${this.callId} (${this.name}) of the last answer is not in the history as requested, so nothing of that answer was run. Take the conversation back to before it, and go on from there.`
  }
}
