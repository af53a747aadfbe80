/**
 * Whether a plan waits for the user's word: a pure state machine.
 *
 *     NotAwaiting -> AwaitingResponse -> NotAwaiting        the user answered
 *                                     -> SwitchingMode      the switch to act answers
 *                    SwitchingMode    -> NotAwaiting        the switch is done
 *
 * Each pending plan is answered once: an answer to none, or to another one, is rejected. A step from a state that is
 * known when compiling is a compile error where it is illegal.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** The answer to a pending plan when the user switched to act mode and wrote nothing. */
export const PLAN_MODE_TOGGLE_RESPONSE = "[The user has switched to ACT MODE, so you may now proceed with the task.]"

export const NotAwaiting = Schema.TaggedStruct("NotAwaiting", {})
export type NotAwaiting = typeof NotAwaiting.Type

/** The plan is an ask, so this survives a restart. */
export const AwaitingResponse = Schema.TaggedStruct("AwaitingResponse", { askId: Schema.String })
export type AwaitingResponse = typeof AwaitingResponse.Type

/** The switch to act mode is under way and answers the ask with this text. */
export const SwitchingMode = Schema.TaggedStruct("SwitchingMode", { askId: Schema.String, answer: Schema.String })
export type SwitchingMode = typeof SwitchingMode.Type

export const PlanResponse = Schema.Union([NotAwaiting, AwaitingResponse, SwitchingMode])
export type PlanResponse = typeof PlanResponse.Type

export const notAwaiting: NotAwaiting = { _tag: "NotAwaiting" }

/** The states that each step may start from. */
export const table = {
  present: ["NotAwaiting"],
  respond: ["AwaitingResponse"],
  beginSwitch: ["AwaitingResponse"],
  endSwitch: ["SwitchingMode"]
} as const satisfies Record<string, ReadonlyArray<PlanResponse["_tag"]>>
export type Step = keyof typeof table

/** The steps for a state that is known: these four functions are the machine. */
export const present = (_from: NotAwaiting, askId: string): AwaitingResponse => ({ _tag: "AwaitingResponse", askId })

export const respond: (from: AwaitingResponse) => NotAwaiting = () => notAwaiting

/** A text of blanks counts as none. */
export const beginSwitch = (from: AwaitingResponse, text?: string): SwitchingMode => ({
  _tag: "SwitchingMode",
  askId: from.askId,
  answer: text === undefined || text.trim() === "" ? PLAN_MODE_TOGGLE_RESPONSE : text
})

export const endSwitch: (from: SwitchingMode) => NotAwaiting = () => notAwaiting

export type Event =
  | { readonly step: "present"; readonly askId: string }
  | { readonly step: "respond"; readonly askId: string }
  | { readonly step: "beginSwitch"; readonly askId: string; readonly text?: string }
  | { readonly step: "endSwitch"; readonly askId: string }

/** The step is not one of this state, or is for another plan than the pending one; the state stays. */
export class PlanResponseRejected extends Schema.TaggedError<PlanResponseRejected>()("PlanResponseRejected", {
  reason: Schema.Literals(["illegalStep", "otherAsk"]),
  step: Schema.Literals(["present", "respond", "beginSwitch", "endSwitch"]),
  from: Schema.Literals(["NotAwaiting", "AwaitingResponse", "SwitchingMode"]),
  askId: Schema.String
}) {
  override get message() {
    return this.reason === "otherAsk"
      ? `Ask ${this.askId} is not the pending plan; nothing was changed. Answer the ask that is pending.`
      : `'${this.step}' is not possible for ask ${this.askId} while the plan response is ${this.from}; nothing was changed. Read the task's state again.`
  }
}

const step = (state: PlanResponse, event: Event): PlanResponse | undefined => {
  if (event.step === "present") return state._tag === "NotAwaiting" ? present(state, event.askId) : undefined
  if (event.step === "endSwitch") return state._tag === "SwitchingMode" ? endSwitch(state) : undefined
  if (state._tag !== "AwaitingResponse") return undefined
  return event.step === "respond" ? respond(state) : beginSwitch(state, event.text)
}

/** The same for a state and an event that come from outside. */
export const transition = (state: PlanResponse, event: Event): Result.Result<PlanResponse, PlanResponseRejected> => {
  const rejected = (reason: PlanResponseRejected["reason"]) =>
    Result.fail(new PlanResponseRejected({ reason, step: event.step, from: state._tag, askId: event.askId }))
  const next = step(state, event)
  if (next === undefined) return rejected("illegalStep")
  return state._tag !== "NotAwaiting" && state.askId !== event.askId ? rejected("otherAsk") : Result.succeed(next)
}
