/** What the model is told of an answer without a call that is not, or not yet, the end of its turn. */
import { Message } from "@belay/message-state"
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

const reminders = new Set([useTool("plan").text, useTool("act").text])

const leftOpenHead = "[The checklist has open items: "

/** Of an answer in words while items of the checklist, in one line, are open. */
export const leftOpen = (items: string): Message.TextBlock =>
  Message.text(
    `${leftOpenHead}${items}. Finish them, or take out with task_progress what is no longer to be done. If nothing is left to do, say so without a call: all that you have said is then the result.]`
  )

const notYetHead = "[Not completed: "

/** Of an answer in words that cannot complete the task; `why` begins with "Not completed: ". */
export const notYet = (why: string): Message.TextBlock => Message.text(`[${why}]`)

/** The text is one of these. */
export const isText = (text: string): boolean =>
  reminders.has(text) || CutOff.is(text) || text.startsWith(leftOpenHead) || text.startsWith(notYetHead)

const only = ({ content, role }: Message.Message): string | undefined => {
  const [block] = content
  return role === "user" && content.length === 1 && block?.type === "text" ? block.text : undefined
}

/** The message is nothing but such a text. */
export const is = (message: Message.Message): boolean => isText(only(message) ?? "")

/** The model was reminded of open items. */
export const isLeftOpen = (message: Message.Message): boolean => only(message)?.startsWith(leftOpenHead) === true

/** The answer before it was cut off. */
export const isCutOff = (message: Message.Message): boolean => CutOff.is(only(message) ?? "")

/** The mistake that such a message tells of, for people; nothing for one that tells of none. */
export const mistakeOf = (message: Message.Message): string | undefined => {
  const text = only(message) ?? ""
  if (reminders.has(text)) return noCall
  if (CutOff.is(text)) return CutOff.mistake
  return text.startsWith(notYetHead) ? text.slice(1, -1) : undefined
}
