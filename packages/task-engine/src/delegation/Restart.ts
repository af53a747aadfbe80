/**
 * A stopped subtask restarted: a new one stands in for it, in one commit with its instructions.
 *
 * The old one keeps what it has and no longer reports; the call that asked for it is answered with that. Its checklist is
 * that of the new one, as it is.
 */
import type { FocusChain } from "@belay/focus-chain"
import type { History, Step } from "@belay/history-store"
import { Message, Origins } from "@belay/message-state"
import type { Command, TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Environment from "../prompt/Environment.ts"
import * as FirstChecklist from "../checklist/FirstChecklist.ts"
import * as Prompt from "../prompt/Prompt.ts"
import * as Title from "../prompt/Title.ts"

/** Gives the new subtask everything that the old one was asked. */
export interface Facts {
  readonly parent: TaskId.TaskId
  readonly child: History.TaskRow
  /** The first message of the old subtask. */
  readonly prompt: Message.Message
  /** The id of the new subtask. */
  readonly to: TaskId.TaskId
}

const isFirstList = (prompt: Message.Message, at: number): boolean => Origins.of(prompt, at) === "engine.firstChecklist"

/**
 * The same first message, with the list as it is now; a person's instructions take the place of its first block, which
 * holds the others.
 */
const promptOf = (
  prompt: Message.Message,
  message: string | undefined,
  list: Step.FirstChecklist | undefined
): Message.Message => {
  const parts = prompt.content.map((block, at) => Message.from(Message.originOf(prompt, at), block))
  const byUser = ({ content, from = [] }: Message.Message) => ({
    role: "user" as const,
    content: content.map(Environment.byUser),
    from
  })
  const begun = message === undefined ? parts.slice(0, 1) : [Message.from("user", Message.text(message))]
  const rest = parts.filter((_, at) => at > 0 && (list === undefined || !isFirstList(prompt, at)))
  const told = list === undefined ? [] : [Message.from("engine.firstChecklist", Prompt.firstList(list.items))]
  return Message.joined(...begun, ...(message === undefined ? rest : rest.map(byUser)), ...told)
}

/** `commit` is given the steps. `message`: instructions in place of the old ones. */
export const start = <A, E, R>(
  files: FocusChain["Service"],
  { child, parent, prompt, to }: Facts,
  message: string | undefined,
  commit: (steps: ReadonlyArray<Step.Step>) => Effect.Effect<A, Command.TransitionRejected | E, R>
): Effect.Effect<A, Command.TransitionRejected | E, R> =>
  Effect.gen(function* () {
    const meta = message === undefined ? child.meta : { ...child.meta, title: Title.of(message) }
    const checklist = yield* FirstChecklist.copied(files, child.record.id, { id: to, title: meta.title })
    const steps: ReadonlyArray<Step.Step> = [
      { _tag: "Lifecycle", request: { _tag: "Restart", taskId: parent, child: child.record.id, to } },
      {
        _tag: "Describe",
        taskId: to,
        meta,
        prompt: promptOf(prompt, message, checklist),
        ...(checklist === undefined ? {} : { checklist })
      }
    ]
    return yield* FirstChecklist.unlessRefused(files, [to], commit(steps))
  })
