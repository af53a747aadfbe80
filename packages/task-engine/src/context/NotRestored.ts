/** Why a task was not taken back to a message, as one line. */
import { printable } from "@belay/message-state"
import * as Schema from "effect/Schema"

const sentences = {
  runs: ["or a subtask of it runs", "Stop it first."],
  noMessage: ["has no such message", "Choose one of those that it has."],
  completed: ["has completed, so its conversation stays", "Branch a new task from the message instead."],
  waits: ["waits for subtasks that began after this message", "Abandon them first."],
  files: ["was not restored, and nothing was changed", "Make room for it, or restore by hand."],
  nothing: ["has no restore to undo, or has gone on since", "Restore it to a message instead."]
} as const

/** Nothing was changed. */
export class NotRestored extends Schema.TaggedError<NotRestored>()("NotRestored", {
  reason: Schema.Literals(Object.keys(sentences) as Array<keyof typeof sentences>),
  title: Schema.String,
  /** More of it, such as the files that could not go back. */
  subject: Schema.optionalKey(Schema.String)
}) {
  /** What happened, to what. */
  get what(): string {
    const more = this.subject === undefined ? "" : ` (${printable(this.subject)})`
    return `"${printable(this.title)}" ${sentences[this.reason][0]}${more}`
  }
  override get message() {
    return `${this.what}. ${sentences[this.reason][1]}`
  }
}
