/**
 * A stopped subtask started over: a new one stands in for it, in one commit with its instructions.
 *
 * The old one keeps what it has and no longer reports; the call that asked for it is answered with that.
 */
import type { History, Step } from "@belay/history-store"
import { Message } from "@belay/message-state"
import type { TaskId } from "@belay/task-state"
import * as Environment from "./Environment.ts"
import * as Title from "./Title.ts"

export interface Facts {
  readonly parent: TaskId.TaskId
  readonly child: History.TaskRow
  /** The first message of the old subtask. */
  readonly prompt: Message.Message
  /** The id of the new subtask. */
  readonly to: TaskId.TaskId
}

/** The same first message; a person's instructions take the place of its first block, which holds the others. */
const promptOf = (prompt: Message.Message, message: string | undefined): Message.Message =>
  message === undefined
    ? prompt
    : { ...prompt, content: [Message.text(message), ...prompt.content.slice(1).map(Environment.byUser)] }

/** The steps of the commit. `message`: instructions in place of the old ones. */
export const steps = (facts: Facts, message?: string): ReadonlyArray<Step.Step> => {
  const { child, parent, prompt, to } = facts
  const meta = message === undefined ? child.meta : { ...child.meta, title: Title.of(message) }
  return [
    { _tag: "Lifecycle", request: { _tag: "Redelegate", taskId: parent, child: child.record.id, to } },
    { _tag: "Describe", taskId: to, meta, prompt: promptOf(prompt, message) }
  ]
}
