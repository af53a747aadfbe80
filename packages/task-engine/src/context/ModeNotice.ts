/**
 * Which mode a task is in, as its model knows it.
 *
 * The first message says it, and a notice each switch. Where what the model is shown says another one, or none, as when a
 * notice was condensed away, it is told again before the next request. What was told is read from the log alone, so it is
 * told once, also after a restart.
 */
import type { Step } from "@belay/history-store"
import { LogFold, Message, type Origin, Origins } from "@belay/message-state"
import { type Mode, ModeSwitch } from "@belay/modes"
import * as Environment from "../prompt/Environment.ts"
import { fence, type ActiveTask } from "../active/ActiveTask.ts"

const telling: ReadonlySet<Origin.Origin> = new Set([
  "engine.environment",
  "engine.mode",
  "engine.switch",
  "tool",
  "unknown"
])

/** A result says it only of a plan, or of the call that asked for the switch. */
const saidBy = (message: Message.Message, at: number): Mode.Mode | undefined => {
  const block = message.content[at]
  if (block === undefined || !telling.has(Origins.of(message, at))) return undefined
  if (block.type === "text") return Environment.modeOf(block) ?? ModeSwitch.saidBy(block.text)
  if (block.type !== "tool_result" || block.content.length !== 1) return undefined
  const [only] = block.content
  return only?.type === "text" ? ModeSwitch.saidBy(only.text) : undefined
}

const told = LogFold.make<Message.Message, Mode.Mode | undefined>(
  () => undefined,
  (before, message) => {
    if (message.role !== "user") return before
    return message.content.map((_, at) => saidBy(message, at)).findLast((mode) => mode !== undefined) ?? before
  }
)

/** The steps that tell the mode; none when the model knows it. */
export const steps = (running: ActiveTask): ReadonlyArray<Step.Step> =>
  told(running.conversation.messages) === running.mode
    ? []
    : [
        {
          _tag: "Append",
          ...fence(running),
          message: Message.from("engine.mode", Message.text(ModeSwitch.reminders[running.mode]))
        }
      ]
