/**
 * New tasks that stand on the log of another: Continue after its end, Fork after one of its messages.
 *
 * The new task has a log, a budget and a checklist of its own from its first commit on; the other is left as it is.
 */
import type { History, Step } from "@belay/history-store"
import { Conversation, Message } from "@belay/message-state"
import type { TaskId } from "@belay/task-state"
import * as Prompt from "../prompt/Prompt.ts"
import * as UserIntent from "../prompt/UserIntent.ts"
import { Settings } from "@belay/settings"

/** Says from where a new task goes on, and what the user says to it. */
export interface ForkOptions {
  /** What the user says. */
  readonly text: string
  /** What the model reads with the words: images, and files as text. */
  readonly attached?: ReadonlyArray<Message.Attachment>
  /** The index of the last message that the new task has; without one it continues a completed task. */
  readonly at?: number
  readonly mode?: "plan" | "act"
  readonly settings: (snapshot: Settings.TaskSettings) => Settings.TaskSettings
  /** What made it, such as "cli". */
  readonly host: string
  /** The scope of a client program whose model says the words: a runner of this history takes it, and it is not started here. */
  readonly queued?: string
}

export interface Facts {
  readonly source: History.TaskRow
  /** What the model is shown of the other. */
  readonly log: ReadonlyArray<Message.LoggedMessage>
  readonly settings: Settings.TaskSettings
  readonly title: string
  /** The id of the new task. */
  readonly as: TaskId.TaskId
}

/** Calls that the copied log leaves open are answered: the service refuses a turn with an open call. */
const promptOf = (log: ReadonlyArray<Message.Message>, said: Message.Message): Message.Message => {
  const results = Conversation.unanswered(log).map((call): Message.ToolResultBlock => ({
    type: "tool_result",
    tool_use_id: call.id,
    content: [Message.text(Prompt.branched)],
    is_error: true
  }))
  return Message.joined(Message.from("tool", ...results), said)
}

/** One commit: the new task, its log, its first message, its start. */
export const steps = (facts: Facts, options: ForkOptions): ReadonlyArray<Step.Step> => {
  const { as, log, source, title } = facts
  const taskId = source.record.id
  const through = options.at ?? source.messageCount - 1
  const settings = { ...options.settings(facts.settings), grants: [] }
  const said = { prompt: options.text, mode: options.mode ?? source.meta.mode }
  const isPerson = options.queued === undefined
  const { isDeep, mode, prompt } = isPerson ? UserIntent.asTask(said) : { ...said, isDeep: false }
  return [
    { _tag: "Lifecycle", request: { _tag: options.at === undefined ? "Continue" : "Fork", taskId, as } },
    {
      _tag: "Describe",
      taskId: as,
      meta: {
        title,
        workspace: source.meta.workspace,
        mode,
        model: Settings.modelFor(settings, mode),
        ...(isDeep ? { planning: "investigation" as const } : {}),
        host: options.host,
        settings
      },
      prompt: promptOf(
        log.filter(({ index }) => index <= through),
        Message.joined(
          Message.from(isPerson ? "user" : "task", Message.text(prompt)),
          Message.from("user.file", ...(options.attached ?? [])),
          Message.from("engine.planning", ...(isDeep ? [Prompt.planning("investigation")] : []))
        )
      ),
      after: { taskId, through }
    },
    options.queued === undefined
      ? { _tag: "Lifecycle", request: { _tag: "Start", taskId: as } }
      : { _tag: "Queue", taskId: as, scope: options.queued }
  ]
}
