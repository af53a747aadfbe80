/**
 * What people say to a stopped task without going on with it: stored in one commit, and the task is as stopped as before.
 *
 * An approval is never given to a task that does not run: it would be given to a call that nobody has judged again.
 */
import { type History, type HistoryError, type Step, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { ModeSwitch, PlanResponse } from "@belay/modes"
import { Command, TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as TaskCompletion from "./TaskCompletion.ts"
import * as OpenAsk from "../active/OpenAsk.ts"
import { refused, type RequestRefused } from "../active/RequestRefused.ts"
import * as Interrupt from "../interrupt/Interrupt.ts"
import * as Resume from "./Resume.ts"
import * as UserIntent from "../prompt/UserIntent.ts"
import { Settings } from "@belay/settings"
import * as Telemetry from "../active/Telemetry.ts"

/** Holds what a person says to a stopped task. Without a field nothing happens. */
export interface MessageStoppedTaskOptions {
  /** Answers an open question or plan, else it is a message. */
  readonly message?: string
  /** What comes with the message, or with the answer. */
  readonly attached?: ReadonlyArray<Message.Attachment>
  /** A switch to act mode answers an open plan. Also of a task that has not begun or waits for subtasks. */
  readonly mode?: "plan" | "act"
  /** Answers this ask and no other; a yes to an offered result completes the task. */
  readonly answer?: { readonly askId: string; readonly decision?: "allow" | "deny"; readonly text?: string }
}

/** The ask, when it can be answered like this now. */
const answerable = (
  id: TaskId.TaskId,
  asks: ReadonlyArray<History.Ask>,
  answer: NonNullable<MessageStoppedTaskOptions["answer"]>
): Effect.Effect<History.Ask, RequestRefused> => {
  const ask = asks.find(({ askId }) => askId === answer.askId)
  if (ask === undefined) return Effect.fail(refused(id, "unknownAsk"))
  if (!ask.open) return Effect.fail(refused(id, "alreadyAnswered"))
  const wanted = OpenAsk.wants({ ...ask.payload, ...ask })
  const again = wanted === "decision" || ask.kind === "budget" || ask.kind === "context"
  const missed = again ? "needsRun" : OpenAsk.missing(wanted, answer)
  return missed === undefined ? Effect.succeed(ask) : Effect.fail(refused(id, missed))
}

/** A yes to an offered result completes the task; words are its answer. */
const answered = (
  fence: Resume.Fence,
  ask: History.Ask,
  { decision, text = "" }: NonNullable<MessageStoppedTaskOptions["answer"]>,
  attached: MessageStoppedTaskOptions["attached"]
) =>
  ask.kind === "completion" && OpenAsk.accepts({ text, ...(decision === undefined ? {} : { decision }) })
    ? {
        completes: true,
        steps: [
          { _tag: "AskSettled", taskId: fence.taskId, settled: { askId: ask.askId, decision: "allow", by: "user" } },
          ...TaskCompletion.steps(fence, ask.payload.question ?? "", ask.callId ?? undefined)
        ] satisfies ReadonlyArray<Step.Step>
      }
    : { completes: false, steps: Resume.answering(fence, ask, text, decision, attached) }

/** Its words are a switch of mode, as they are when they are said to the task. */
const isSwitch = ({ kind }: History.Ask, { text = "" }: NonNullable<MessageStoppedTaskOptions["answer"]>): boolean =>
  (kind === "plan" || kind === "question") && UserIntent.asSwitch(text) !== undefined

/** A switch of a task that waits for its turn, or for subtasks with nobody there; it stays what it is. */
const atRest = (
  { meta, record }: History.TaskRow,
  to: "plan" | "act",
  messageId: string,
  { attached, message }: Pick<MessageStoppedTaskOptions, "attached" | "message">
): ReadonlyArray<Step.Step> => {
  const { changed, notice } = ModeSwitch.switchMode(meta.mode, to, PlanResponse.notAwaiting)
  const { planning, text: words } = UserIntent.withSwitch(to, message)
  const texts = [
    { text: changed ? notice : undefined, from: "engine.switch" as const },
    { text: words, from: "user" as const }
  ]
  const said = texts.flatMap(({ from, text }, index) =>
    Message.isSaid(text) ? [{ id: `${messageId}-${index}`, text, from }] : []
  )
  const shown = attached === undefined ? [] : [{ id: `${messageId}-shown`, text: "", attached }]
  return [
    {
      _tag: "SwitchAtRest",
      taskId: record.id,
      to,
      ...(planning === undefined ? {} : { planning }),
      said: [...said, ...shown],
      ...Settings.modelIn(meta.settings, to)
    }
  ]
}

type Fails = RequestRefused | Command.TransitionRejected | HistoryError.HistoryError

/** Errors: `RequestRefused` when the task is not stopped, or the ask cannot be answered now. */
export const visit = (id: TaskId.TaskId, options: MessageStoppedTaskOptions): Effect.Effect<void, Fails, TaskHistory> =>
  Effect.flatMap(Effect.all([TaskHistory, Telemetry.Telemetry]), ([history, telemetry]) =>
    message(history, telemetry, id, options)
  )

/** The same with the services that are given. */
export const message: (
  history: TaskHistory["Service"],
  telemetry: Telemetry.Telemetry,
  id: TaskId.TaskId,
  options: MessageStoppedTaskOptions
) => Effect.Effect<void, Fails> = Effect.fn("MessageStoppedTask.message")(function* (history, telemetry, id, options) {
  const commit = (steps: ReadonlyArray<Step.Step>) =>
    Effect.flatMap(history.commit(steps), ({ events }) => Telemetry.tellTo(telemetry, events))
  const found = yield* history.row(id)
  if (Option.isNone(found)) return yield* Command.rejected(id, "Visit", "absent", "NotFound")
  const { record } = found.value
  if (record.status !== "interrupted" && options.mode !== undefined && options.answer === undefined) {
    return yield* commit(atRest(found.value, options.mode, yield* TaskId.make, options))
  }
  if (record.status !== "interrupted") return yield* refused(id, "running")
  const asks = yield* history.asks(id)
  const fence = Interrupt.fenceOf(record)
  const { answer } = options
  const ask = answer === undefined ? undefined : yield* answerable(id, asks, answer)
  const switches = ask !== undefined && answer !== undefined && isSwitch(ask, answer)
  const given =
    ask === undefined || answer === undefined || switches ? undefined : answered(fence, ask, answer, options.attached)
  if (given?.completes === true) return yield* commit([Interrupt.taken(record), ...given.steps])
  const open = switches ? [ask] : asks.filter((known) => known.open && known !== ask)
  const said = switches ? { ...options, message: answer.text ?? "" } : options
  const words = Resume.words(found.value, fence, open, yield* TaskId.make, said)
  yield* commit(Interrupt.whileTaken(record, [...(given?.steps ?? []), ...words]))
})
