/** What a person's answer to a question or a plan says, and the steps that store it, with the switch that it asks for. */
import type { Step } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { DeepPlanning, ModeSwitch, PlanResponse } from "@belay/modes"
import { closed } from "../calls/Approving.ts"
import * as OpenAsk from "../active/OpenAsk.ts"
import type { Ask } from "../active/UserPort.ts"
import { fence, type ActiveTask } from "../active/ActiveTask.ts"
import * as UserIntent from "../prompt/UserIntent.ts"
import { Settings } from "@belay/settings"

export interface AnswerSteps {
  /** A finished turn is taken as the end of the task. */
  readonly accepts: boolean
  /** What the model reads. */
  readonly text: string
  readonly attached: ReadonlyArray<Message.Attachment>
  readonly steps: ReadonlyArray<Step.Step>
}

/** Words that begin with a switch of mode are that switch, as they are anywhere else; the rest is the answer. */
const meant = (running: ActiveTask, { switchToAct, text = "" }: OpenAsk.Reply) => {
  if (switchToAct === true) return { mode: "act" as const, said: text }
  const told = UserIntent.asSwitch(text)
  if (told === undefined) return { mode: running.mode, said: text }
  const { planning, text: rest = "" } = UserIntent.withSwitch(told.mode, told.text)
  const notice = planning === undefined ? [] : [DeepPlanning.notice(planning)]
  return { mode: told.mode, planning, said: [rest, ...notice].join("\n\n") }
}

export const of = (running: ActiveTask, ask: Ask, answer: OpenAsk.Reply): AnswerSteps => {
  const { mode, planning, said } = meant(running, answer)
  const switched = ModeSwitch.switchMode(running.mode, mode, PlanResponse.awaiting(ask.askId), said)
  // A switch that answers nothing and says nothing more stands for itself.
  const text = switched.answersPlan?.text ?? (Message.isSaid(said) ? said : (answer.text ?? ""))
  const switching: ReadonlyArray<Step.Step> = switched.changed
    ? [
        {
          _tag: "ModeChanged",
          ...fence(running),
          to: switched.mode,
          by: "user",
          ...(ask.kind === "plan" ? { answeredAsk: ask.askId } : {}),
          model: Settings.modelFor(running.settings, switched.mode)
        },
        { _tag: "Say", ...fence(running), id: `${ask.askId}-mode`, text: switched.notice ?? "", from: "engine.switch" }
      ]
    : []
  const accepts = ask.kind === "completion" && OpenAsk.accepts(answer)
  const given = accepts ? { decision: "allow" as const } : { text }
  const settled = closed(running, ask.askId, { ...given, by: answer.by, requestId: answer.requestId })
  const { attached = [] } = answer
  const steps = [
    settled,
    ...UserIntent.beginning(fence(running), planning),
    ...switching,
    ...OpenAsk.applied(answer.requestId)
  ]
  return { accepts, text, attached, steps }
}
