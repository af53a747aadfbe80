/** How many tokens the conversation of a task has, reckoned from what its service counted last. */
import type { Message } from "@belay/message-state"
import { Models } from "@belay/settings"
import type { ActiveTask } from "../active/ActiveTask.ts"
import * as ContextSize from "../active/ContextSize.ts"
import type { ModelTurn } from "./ModelTurn.ts"

/** The one that counts what a conversation weighs. */
type Model = Pick<ModelTurn["Service"], "weight">

/** What is known of a resumed task's size is what its newest stored answer said. */
export const countedOf = (model: Model, running: ActiveTask): ContextSize.Counted | undefined => {
  if (running.context.size !== undefined || running.context.stored === 0) return running.context.size
  const answered = running.conversation.messages.findLastIndex(({ role }) => role === "assistant") + 1
  return {
    weight: model.weight(running, running.conversation.messages.slice(0, answered)),
    tokens: running.context.stored
  }
}

export const tokensOf = (
  model: Model,
  running: ActiveTask,
  messages: ReadonlyArray<Message.LoggedMessage> = running.conversation.messages
): number => ContextSize.tokens(countedOf(model, running), model.weight(running, messages))

/** Characters that this many tokens have in this conversation. */
export const charactersOf = (model: Model, running: ActiveTask, tokens: number): number =>
  (tokens * model.weight(running)) / Math.max(1, tokensOf(model, running))

/** The tokens that a request may have, with room for its answer. */
export const limitOf = (running: ActiveTask): number => {
  const { inputLimit, outputReserve } = Models.inMode(running.settings, running.mode)
  return Math.max(1, inputLimit - outputReserve)
}
