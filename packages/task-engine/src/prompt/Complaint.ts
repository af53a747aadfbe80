/** What the model is told of an answer without a call that is not, or not yet, the end of its turn. */
import { Message, type Origin, Origins } from "@belay/message-state"
import * as CutOff from "./CutOff.ts"

/** For people. */
export const noCall = "An answer without a tool call."

/** Of an answer that says nothing and calls nothing. */
export const useTool = (mode: "plan" | "act"): Message.TextBlock =>
  Message.text(
    mode === "plan"
      ? "[Your answer had no tool call. Use a tool, or present the plan with plan_mode_respond.]"
      : "[Your answer had no tool call. Use a tool, or finish with attempt_completion.]"
  )

/** Of an answer in words while items of the checklist, in one line, are open. */
export const leftOpen = (items: string): Message.TextBlock =>
  Message.text(
    `[The checklist has open items: ${items}. Finish them, or take out with task_progress what is no longer to be done. If nothing is left to do, say so without a call: all that you have said is then the result.]`
  )

/** Of an answer in words that cannot complete the task; `why` begins with "Not completed: ". */
export const notYet = (why: string): Message.TextBlock => Message.text(`[${why}]`)

const kinds: ReadonlySet<Origin.Origin> = new Set([
  "engine.noCall",
  "engine.openItems",
  "engine.notCompleted",
  "engine.cutOff"
])

/** Who such a text is of. */
export const isOf = (origin: Origin.Origin): boolean => kinds.has(origin)

const only = (message: Message.Message): Origin.Origin | undefined =>
  message.role === "user" && message.content.length === 1 && message.content[0]?.type === "text"
    ? Origins.of(message, 0)
    : undefined

/** The message is nothing but such a text. */
export const is = (message: Message.Message): boolean => isOf(only(message) ?? "unknown")

/** The model was reminded of open items. */
export const isLeftOpen = (message: Message.Message): boolean => only(message) === "engine.openItems"

/** The answer before it was cut off. */
export const isCutOff = (message: Message.Message): boolean => only(message) === "engine.cutOff"

/** The mistake that such a message tells of, for people; nothing for one that tells of none. */
export const mistakeOf = (message: Message.Message): string | undefined => {
  switch (only(message)) {
    case "engine.noCall":
      return noCall
    case "engine.cutOff":
      return CutOff.mistake
    case "engine.notCompleted":
      return Message.textOf(message).slice(1, -1)
    default:
      return undefined
  }
}
