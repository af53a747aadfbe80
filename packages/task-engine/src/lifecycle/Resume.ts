/**
 * What a resume does besides taking the task: the user's words, a switch of mode, other settings; all in one commit.
 *
 * Words answer what is open, a plan or a question; else they are a message, delivered when the calls of the last answer
 * are settled. Nothing that was typed is lost by a crash after the commit.
 */
import type { History, Step } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { ModeSwitch, PlanResponse } from "@belay/modes"
import type { TaskId } from "@belay/task-state"
import * as OpenAsk from "../active/OpenAsk.ts"
import * as Holding from "../tree/Holding.ts"
import * as Prompt from "../prompt/Prompt.ts"
import { Settings } from "@belay/settings"
import * as UserIntent from "../prompt/UserIntent.ts"
import type { ResumeOptions } from "./TaskEngine.ts"

/** What the decision looks at. */
export interface Facts {
  readonly row: History.TaskRow
  readonly asks: ReadonlyArray<History.Ask>
  readonly settings: Settings.TaskSettings
  /** An id for what the user says. */
  readonly messageId: string
  /** The owner id of this process. */
  readonly me: string
}

export interface Fence {
  readonly taskId: History.TaskRow["record"]["id"]
  readonly attempt: number
}

/** What the model reads of an answer in words. */
const heard = ({ kind, payload }: History.Ask, text: string): string =>
  OpenAsk.isHandOver({ ...payload, kind })
    ? Prompt.notStarted(text)
    : kind === "completion"
      ? Prompt.notAccepted(text)
      : text

/** The answer to an open ask: the result of its call, else a message. */
export const answering = (
  fence: Fence,
  ask: History.Ask,
  text: string,
  decision?: "allow" | "deny",
  attached?: ReadonlyArray<Message.Attachment>
): ReadonlyArray<Step.Step> => {
  const { askId, kind } = ask
  const agreed = OpenAsk.isHandOver({ ...ask.payload, kind }) && OpenAsk.agrees({ text, ...(decision && { decision }) })
  // Its call stays open, and hands over when the task goes on.
  if (agreed) return [{ _tag: "AskSettled", taskId: fence.taskId, settled: { askId, decision: "allow", by: "user" } }]
  return inWords(fence, ask, text, attached)
}

/** Services refuse blank texts. */
const spoken = (text: string): ReadonlyArray<Message.TextBlock> => (Message.isSaid(text) ? [Message.text(text)] : [])

const inWords = (
  fence: Fence,
  ask: History.Ask,
  text: string,
  attached: ReadonlyArray<Message.Attachment> = []
): ReadonlyArray<Step.Step> => [
  { _tag: "AskSettled", taskId: fence.taskId, settled: { askId: ask.askId, text, by: "user" } },
  ask.callId === null
    ? { _tag: "Say", ...fence, id: ask.askId, text, ...(attached.length === 0 ? {} : { attached }) }
    : {
        _tag: "CallsSettled",
        ...fence,
        results: [
          {
            callId: ask.callId,
            content: [...spoken(heard(ask, text)), ...attached],
            isError: false,
            state: "finished",
            ...(heard(ask, text) === text ? OpenAsk.writtenBy(text) : {})
          }
        ]
      }
]

const switching = (
  row: History.TaskRow,
  fence: Fence,
  messageId: string,
  mode: "plan" | "act",
  plan: History.Ask | undefined,
  text?: string,
  attached?: ReadonlyArray<Message.Attachment>
) => {
  if (mode === "act" && plan !== undefined && OpenAsk.isHandOver({ ...plan.payload, kind: plan.kind })) {
    const said: ReadonlyArray<Step.Step> = Message.isSaid(text) ? [{ _tag: "Say", ...fence, id: messageId, text }] : []
    return { steps: [...answering(fence, plan, OpenAsk.start), ...said], answered: true }
  }
  const before = plan === undefined ? PlanResponse.notAwaiting : PlanResponse.awaiting(plan.askId)
  const switched = ModeSwitch.switchMode(row.meta.mode, mode, before, text)
  if (!switched.changed) return { steps: [] as ReadonlyArray<Step.Step>, answered: false }
  const given = switched.answersPlan
  const answer =
    given === undefined || plan === undefined ? [] : answering(fence, plan, given.text, undefined, attached)
  const steps: ReadonlyArray<Step.Step> = [
    {
      _tag: "ModeChanged",
      ...fence,
      to: mode,
      by: "user",
      ...(given === undefined ? {} : { answeredAsk: given.askId }),
      ...Settings.modelIn(row.meta.settings, mode)
    },
    { _tag: "Say", ...fence, id: `${messageId}-mode`, text: switched.notice ?? "", from: "engine.switch" },
    ...answer
  ]
  return { steps, answered: given !== undefined }
}

/** Limits and check-ins are settled by going on; an approval that was asked for is asked for again when it is needed. */
const passing = new Set(["approval", "budget", "mistakes", "context"])

/** The steps that close what going on settles by itself. */
export const settledByResume = (taskId: TaskId.TaskId, asks: ReadonlyArray<History.Ask>): ReadonlyArray<Step.Step> =>
  asks
    .filter((ask) => ask.open && passing.has(ask.kind))
    .map((ask) => ({ _tag: "AskSettled", taskId, settled: { askId: ask.askId, by: "resume" } }))

/** A plan that no call presented: words to the task are its answer, so nothing is delivered past it. */
const awaitsWords = (ask: History.Ask): boolean =>
  ask.callId === null && (ask.kind === "plan" || ask.kind === "question")

/** The step that delivers what was said while nobody ran the task. */
export const delivering = (fence: Fence, open: ReadonlyArray<History.Ask>): ReadonlyArray<Step.Step> =>
  open.some(awaitsWords) ? [] : [{ _tag: "Deliver", ...fence }]

/** What words that begin with a switch of mode mean; the mode that they name counts. */
const meant = ({ attached, message, mode }: Pick<ResumeOptions, "attached" | "message" | "mode">) => {
  const told = message === undefined ? undefined : UserIntent.asSwitch(message)
  const to = told?.mode ?? mode
  const { planning, text } = UserIntent.withSwitch(to ?? "act", told === undefined ? message : told.text)
  return { attached, message: text, mode: to, planning }
}

/** What the user says to a task that is taken, and what was said while nobody ran it. */
export const words = (
  row: History.TaskRow,
  fence: Fence,
  open: ReadonlyArray<History.Ask>,
  messageId: string,
  options: Pick<ResumeOptions, "attached" | "message" | "mode">
): ReadonlyArray<Step.Step> => {
  const { attached, message, mode, planning } = meant(options)
  const plan = open.find((ask) => ask.kind === "plan")
  const question = open.find((ask) => ask.kind === "question")
  const switched =
    mode === undefined
      ? { steps: [], answered: false }
      : switching(row, fence, messageId, mode, plan, message, attached)
  const offered = open.find((ask) => ask.kind === "completion")
  const asked = question ?? plan ?? offered
  const speaks = Message.isSaid(message) || (attached !== undefined && attached.length > 0)
  const said = speaks && !switched.answered ? (message ?? "") : undefined
  const spoken: ReadonlyArray<Step.Step> =
    said === undefined
      ? []
      : asked === undefined
        ? [{ _tag: "Say", ...fence, id: messageId, text: said, ...(attached && { attached }) }]
        : answering(fence, asked, said, undefined, attached)
  const begun = UserIntent.beginning(fence, planning)
  return [
    ...begun,
    ...switched.steps,
    ...spoken,
    ...delivering(fence, said !== undefined || switched.answered ? [] : open)
  ]
}

/** The settings that the task goes on with, where they are others. */
export const changed = (known: Settings.TaskSettings, { limits, settings }: ResumeOptions) =>
  settings === undefined && limits === undefined
    ? undefined
    : { ...(settings === undefined ? known : settings(known)), ...limits }

/** What stores them. */
export const configuring = (
  row: History.TaskRow,
  fence: Fence,
  settings: Settings.TaskSettings | undefined,
  options: ResumeOptions
): ReadonlyArray<Step.Step> =>
  settings === undefined
    ? []
    : [
        {
          _tag: "Configure",
          ...fence,
          settings,
          model: Settings.modelFor(settings, meant(options).mode ?? row.meta.mode)
        }
      ]

/** The steps of a resume, the lifecycle command first. */
export const steps = (facts: Facts, options: ResumeOptions): ReadonlyArray<Step.Step> => {
  const { row } = facts
  const taskId = row.record.id
  const { attempt, status } = row.record
  const start = status === "created"
  // A task that this process has already is not taken again.
  const held = row.lease?.ownerId === facts.me && (status === "active" || status === "delegated")
  const takes = options.takeOver === true && Holding.isHeldElsewhere(row, facts.me)
  const fence = { taskId, attempt: held ? attempt : attempt + 1 }
  const open = facts.asks.filter((ask) => ask.open)
  return [
    { _tag: "Lifecycle", request: { _tag: start ? "Start" : takes ? "TakeOver" : "Resume", taskId } },
    ...configuring(row, fence, changed(facts.settings, options), options),
    ...settledByResume(taskId, open),
    ...words(row, fence, open, facts.messageId, options)
  ]
}
