/**
 * A switch of mode that answers no ask: the words that come with it, and its notice, wait for the turn boundary like every
 * message.
 */
import type { Step } from "@belay/history-store"
import { Message, type Origin } from "@belay/message-state"
import { type Mode, ModeSwitch, PlanResponse } from "@belay/modes"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { applied, byMode, type Reply } from "../active/OpenAsk.ts"
import type { fence, ActiveTask } from "../active/ActiveTask.ts"
import * as UserIntent from "../prompt/UserIntent.ts"

export interface ModeChange {
  readonly fenced: ReturnType<typeof fence>
  readonly current: Mode.Mode
  readonly mode: Mode.Mode
  readonly text: string | undefined
  readonly attached: ReadonlyArray<Message.Attachment> | undefined
  /** The model of the mode, where it is known. */
  readonly model: { readonly model?: string }
  /** Planning in phases begins with it. */
  readonly planning: "investigation" | undefined
  readonly requestId: Reply["requestId"]
  /** Of what is said; no other has it. */
  readonly id: string
}

/** None where nothing changes and nothing is said. */
export const steps = ({
  attached,
  current,
  fenced,
  id,
  mode,
  model,
  planning,
  requestId,
  text
}: ModeChange): ReadonlyArray<Step.Step> => {
  const switched = ModeSwitch.switchMode(current, mode, PlanResponse.notAwaiting)
  const say = (name: string, said: string | undefined, from: Origin.Origin): ReadonlyArray<Step.Step> =>
    Message.isSaid(said) ? [{ _tag: "Say", ...fenced, id: `${id}-${name}`, text: said, from, queued: true }] : []
  const shown: ReadonlyArray<Step.Step> =
    attached === undefined ? [] : [{ _tag: "Say", ...fenced, id: `${id}-shown`, text: "", attached, queued: true }]
  const changed: ReadonlyArray<Step.Step> = switched.changed
    ? [{ _tag: "ModeChanged", ...fenced, to: mode, by: "user", ...model }]
    : []
  return [
    ...changed,
    ...UserIntent.beginning(fenced, planning),
    ...say("mode", switched.notice, "engine.switch"),
    ...say("text", text, "user"),
    ...shown,
    ...applied(requestId)
  ]
}

/** What was asked for in act mode is judged by the mode that holds now. */
export const judgeAgain = ({ asks }: ActiveTask): void => {
  for (const { ask, reply } of asks.values()) {
    if (ask.kind === "approval") Deferred.doneUnsafe(reply, Effect.succeed({ decision: "deny", by: byMode }))
  }
}
