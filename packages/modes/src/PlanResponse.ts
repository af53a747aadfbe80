/**
 * Whether a plan waits for the user's word, and what a switch to act mode answers it with.
 *
 * The plan is an ask of the history, which is answered once and survives a restart; this is what is derived of it, and
 * what `ModeSwitch` decides on. Where no plan waits there is nothing to answer: that does not compile.
 */

/** The answer to a pending plan when the user switched to act mode and wrote nothing. */
export const PLAN_MODE_TOGGLE_RESPONSE = "[The user has switched to ACT MODE, so you may now proceed with the task.]"

/** No plan waits for an answer. */
export interface NotAwaiting {
  readonly _tag: "NotAwaiting"
}

/** A plan waits for an answer; `askId` names its ask in the history. */
export interface AwaitingResponse {
  readonly _tag: "AwaitingResponse"
  readonly askId: string
}

/** States whether a plan of the task waits for an answer. */
export type PlanResponse = NotAwaiting | AwaitingResponse

/** The state of a task without a plan that waits. */
export const notAwaiting: NotAwaiting = { _tag: "NotAwaiting" }

/** Makes the state of a task whose plan waits as the ask `askId`. */
export const awaiting = (askId: string): AwaitingResponse => ({ _tag: "AwaitingResponse", askId })

/** The answer that a plan gets, and the ask that it settles. */
export interface Answer {
  readonly askId: string
  readonly text: string
}

/** Gives what a switch to act mode answers a pending plan with; a text of blanks counts as none. */
export const answerOf = ({ askId }: AwaitingResponse, text?: string): Answer => ({
  askId,
  text: text === undefined || text.trim() === "" ? PLAN_MODE_TOGGLE_RESPONSE : text
})
