/**
 * What a switch of mode does to a task: the notice in its conversation and the answer to its pending plan, if any.
 *
 * Pure: it decides, the engine carries out. A switch to the mode that holds changes nothing and answers nothing.
 */
import type { Mode } from "./Mode.ts"
import { beginSwitch, type PlanResponse, type SwitchingMode } from "./PlanResponse.ts"

export interface Switched {
  readonly changed: boolean
  readonly mode: Mode
  /** For the conversation; absent when nothing changed. */
  readonly notice?: string
  /** The tool result of the pending plan; absent when the switch answers none. */
  readonly answersPlan?: string
  /** `SwitchingMode` exactly when the switch answers the plan. */
  readonly planResponse: PlanResponse
}

const notices: { readonly [M in Mode]: string } = {
  plan: "[The user has switched the task to PLAN MODE. Change nothing from here on: read, ask, and present a plan with plan_mode_respond.]",
  act: "[The user has switched the task to ACT MODE. You may now edit files and run commands, within the approvals.]"
}

const answering = (state: PlanResponse, text: string | undefined): SwitchingMode | undefined =>
  state._tag === "AwaitingResponse" ? beginSwitch(state, text) : undefined

/** `text` is what the user wrote with the switch; it answers a pending plan in place of the standard sentence. */
export const switchMode = (current: Mode, requested: Mode, planResponse: PlanResponse, text?: string): Switched => {
  if (current === requested) return { changed: false, mode: current, planResponse }
  const answered = requested === "act" ? answering(planResponse, text) : undefined
  return {
    changed: true,
    mode: requested,
    notice: notices[requested],
    planResponse: answered ?? planResponse,
    ...(answered === undefined ? {} : { answersPlan: answered.answer })
  }
}
