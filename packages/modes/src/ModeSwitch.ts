/**
 * What a switch of mode does to a task: the notice in its conversation and the answer to its pending plan, if any.
 *
 * Pure: it decides, the engine carries out. A switch to the mode that holds changes nothing and answers nothing.
 */
import type { Mode } from "./Mode.ts"
import { type Answer, answerOf, PLAN_MODE_TOGGLE_RESPONSE, type PlanResponse } from "./PlanResponse.ts"

/** States everything that a switch does. `mode` is the mode after it. */
export interface Switched {
  readonly changed: boolean
  readonly mode: Mode
  /** For the conversation; absent when nothing changed. */
  readonly notice?: string
  /** What the pending plan is answered with; absent when the switch answers none. */
  readonly answersPlan?: Answer
}

const reading = "Of commands only those run that change nothing (git log, ls, rg ...)."

const notices: { readonly [M in Mode]: string } = {
  plan: `[The user has switched the task to PLAN MODE. Change nothing from here on: read, ask, and present a plan with plan_mode_respond. ${reading}]`,
  act: "[The user has switched the task to ACT MODE. You may now edit files and run commands, within the approvals.]"
}

/** Says how every reminder begins. */
export const reminderPrefix = "[The task is in "

/** For a conversation that does not say the mode, or no longer does. */
export const reminders: { readonly [M in Mode]: string } = {
  plan: `${reminderPrefix}PLAN MODE. Change nothing: read, ask, and present a plan with plan_mode_respond. ${reading}]`,
  act: `${reminderPrefix}ACT MODE. You may edit files and run commands, within the approvals.]`
}

/** As earlier versions said it, in histories of theirs. */
const earlier = [notices.plan, reminders.plan].map((text) => text.replace(` ${reading}`, ""))

const saying: ReadonlyMap<string, Mode> = new Map([
  ...earlier.map((text) => [text, "plan"] as const),
  [notices.plan, "plan"],
  [reminders.plan, "plan"],
  [notices.act, "act"],
  [reminders.act, "act"],
  [PLAN_MODE_TOGGLE_RESPONSE, "act"]
])

/** The mode that a notice, a reminder or the answer to a plan says; nothing for any other text. */
export const saidBy = (text: string): Mode | undefined => saying.get(text)

/** `text` is what the user wrote with the switch; it answers a pending plan in place of the standard sentence. */
export const switchMode = (current: Mode, requested: Mode, plan: PlanResponse, text?: string): Switched => {
  if (current === requested) return { changed: false, mode: current }
  const answers = requested === "act" && plan._tag === "AwaitingResponse"
  return {
    changed: true,
    mode: requested,
    notice: notices[requested],
    ...(answers ? { answersPlan: answerOf(plan, text) } : {})
  }
}
