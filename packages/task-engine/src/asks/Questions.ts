/**
 * What the model, or the engine on its behalf, asks a person; each ask is stored before it is shown.
 *
 * Where nobody is there the task stops with its ask open, and the answer that a resume brings settles it. An ask that a
 * crash left open is the same ask afterwards.
 */
import { type Event, type Step, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { HandOver } from "@belay/modes"
import { type Pipeline, Tool } from "@belay/tool-executor"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { closed } from "../calls/Approving.ts"
import * as Call from "../calls/Call.ts"
import * as Asking from "./Asking.ts"
import * as Discussion from "./Discussion.ts"
import { Journal } from "../active/Journal.ts"
import { Prompts } from "../active/Prompts.ts"
import * as OpenAsk from "../active/OpenAsk.ts"
import { UserPort } from "../active/UserPort.ts"
import * as Progress from "../limits/Progress.ts"
import * as Prompt from "../prompt/Prompt.ts"
import { type ActiveTask, type StoreFailure } from "../active/ActiveTask.ts"
import * as Transitions from "../active/Transitions.ts"
import * as UserIntent from "../prompt/UserIntent.ts"
import { TaskScheduler } from "../active/Scheduler.ts"
import { ToolCallLifecycle } from "../calls/ToolCallLifecycle.ts"

/** What became of an offered result; `text` is what is missing, and without it the user has sent a message. */
type Verdict =
  | { readonly _tag: "Accepted"; readonly steps: ReadonlyArray<Step.Step> }
  | { readonly _tag: "NotYet"; readonly text: string | undefined; readonly steps: ReadonlyArray<Step.Step> }

export class Questions extends Context.Service<
  Questions,
  {
    /** A call that asks: `ask_followup_question` or `plan_mode_respond`. */
    readonly ask: (running: ActiveTask, ready: Pipeline.Ready) => Effect.Effect<Call.Next, StoreFailure>
    /** The text of an answer without a call, put to the user as a plan; `beside` as of `endOfTurn`. */
    readonly plan: (running: ActiveTask, text: string, beside: Asking.Beside) => Effect.Effect<Call.Next, StoreFailure>
    /**
     * The text of an answer without a call, as the end of the turn: the user accepts it as the result or says what comes
     * next, with their answer or in a message, for which `beside` answers without words. A subtask, and a task that nobody
     * attends, completes with it.
     */
    readonly endOfTurn: (
      running: ActiveTask,
      text: string,
      beside: Asking.Beside
    ) => Effect.Effect<Call.Next, StoreFailure>
    /** The result of this task waits for the user's word. */
    readonly offers: (running: ActiveTask) => boolean
    /**
     * Offers the result of a call; `beside` may answer for the person. `steps` store the answer. Where nobody is left to
     * ask, it is accepted.
     */
    readonly offer: (
      running: ActiveTask,
      offered: { readonly callId: string; readonly result: string },
      beside: Asking.Beside
    ) => Effect.Effect<Verdict, StoreFailure>
    /** The model cannot go on by itself: what should it do? */
    readonly guidance: (running: ActiveTask, question: string) => Effect.Effect<Call.Next, StoreFailure>
    /** Whether older parts may be condensed; words other than the two options are a message, and mean yes. */
    readonly condense: (running: ActiveTask, question: string) => Effect.Effect<boolean | "unattended", StoreFailure>
    /** Whether to go on after a failure; words other than the two options are a message, and mean yes. */
    readonly tryAgain: (running: ActiveTask, question: string) => Effect.Effect<boolean, StoreFailure>
  }
>()("@belay/task-engine/Questions") {
  static readonly layer = Layer.effect(
    Questions,
    Effect.gen(function* () {
      const parts: Parts = {
        settling: yield* ToolCallLifecycle,
        prompts: yield* Prompts,
        history: yield* TaskHistory,
        journal: yield* Journal,
        person: yield* UserPort,
        scheduler: yield* TaskScheduler
      }

      return Questions.of({
        ask: ask(parts),
        plan: plan(parts),
        endOfTurn: endOfTurn(parts),
        offers: ({ record, settings }) =>
          settings.completion === "ask" && record.lineage.parentId === undefined && parts.person.attended,
        offer: offer(parts),
        guidance: guidance(parts),
        condense: condense(parts),
        tryAgain: tryAgain(parts)
      })
    })
  )
}

interface Parts extends Asking.Parts {
  readonly settling: ToolCallLifecycle["Service"]
}

/** The answers to `tryAgain`. */
const again = "Try again"
const stop = "Stop"

/** The answers to `condense`. */
const condenseNow = "Condense"
const notNow = "Not now"

const unattended: Call.Pause = { _tag: "Pause", reason: "unattended" }

/** The user was asked before and has agreed, and the process ended before that was carried out. */
const agreedBefore = ({ history }: Parts, running: ActiveTask, callId: string) =>
  Effect.map(history.asks(running.id), (asks) =>
    asks.some((ask) => !ask.open && ask.kind === "plan" && ask.callId === callId && ask.decision === "allow")
  )

const handOver = Effect.fnUntraced(function* (parts: Parts, running: ActiveTask, { args, call }: Pipeline.Ready) {
  const { callId } = call
  const steps = HandOver.stepsOf(args.steps)
  const agreed = { _tag: "HandOver", callId, steps } as const
  if (yield* agreedBefore(parts, running, callId)) return { ...agreed, before: [] } satisfies Call.Next
  const question = Prompt.mayStart(HandOver.checklist(steps))
  const asked = yield* Asking.put(parts, running, { kind: "plan", callId, question, options: [OpenAsk.start] })
  const reply = yield* Asking.replyTo(parts, running, asked)
  if (reply === undefined) return unattended
  const { attached = [], by, requestId, text = "" } = reply
  const told = UserIntent.asSwitch(text)
  const words = text === OpenAsk.start ? "" : told?.mode === "act" ? (told.text ?? "") : text
  if (OpenAsk.agrees(reply) || told?.mode === "act") {
    const before = [closed(running, asked.askId, { decision: "allow", by, requestId }), ...OpenAsk.applied(requestId)]
    return { ...agreed, ...(Message.isSaid(words) ? { words } : {}), before } satisfies Call.Next
  }
  Transitions.heardUser(running)
  const settled = [closed(running, asked.askId, { text, by, requestId }), ...OpenAsk.applied(requestId)]
  const output = { content: [Message.text(Prompt.notStarted(text)), ...attached], isError: false }
  yield* parts.settling.settle(running, [Call.result(callId, output)], settled)
  return Call.goOn
})

const ask = (parts: Parts): Questions["Service"]["ask"] =>
  Effect.fn("Questions.ask")(function* (running, ready) {
    const { args, call } = ready
    if (call.name === "hand_over") return yield* handOver(parts, running, ready)
    if (args.needs_more_exploration === true) {
      Progress.mistaken(running, `${call.name} with needs_more_exploration, and no call that explores.`)
      yield* parts.settling.settle(running, [Call.result(call.callId, Tool.output("Go on exploring."))])
      return Call.goOn
    }
    const asked = yield* Asking.put(parts, running, {
      kind: call.name === "plan_mode_respond" ? "plan" : "question",
      callId: call.callId,
      question: args.question ?? args.response,
      ...(args.options === undefined ? {} : { options: args.options })
    })
    const { notes, steps } = Discussion.of(running)
    if (steps.length > 0) yield* parts.journal.commit(steps)
    const heard = yield* Asking.answerOf(parts, running, asked)
    if (heard === undefined) return unattended
    const content = Message.isSaid(heard.text) ? [Message.text(heard.text)] : []
    const told = running.mode === "plan" ? notes : []
    const output = { content: [...content, ...heard.attached, ...told], isError: false }
    const result = { ...Call.result(call.callId, output), ...OpenAsk.writtenBy(heard.text) }
    yield* parts.settling.settle(running, [result], heard.steps)
    return Call.goOn
  })

const plan = (parts: Parts): Questions["Service"]["plan"] =>
  Effect.fn("Questions.plan")(function* (running, text, beside) {
    const asked = yield* Asking.put(parts, running, { kind: "plan", question: text })
    yield* Asking.watched(running, asked, beside)
    return (yield* Asking.toMessage(parts, running, asked)) === undefined ? unattended : Call.goOn
  }, Effect.scoped)

const endOfTurn = (parts: Parts): Questions["Service"]["endOfTurn"] =>
  Effect.fn("Questions.endOfTurn")(function* (running, text, beside) {
    const completed = { _tag: "Complete", result: text } as const
    const isHeard =
      parts.person.attended && (parts.person.endsWithWords !== true || running.settings.completion === "ask")
    if (!isHeard || running.record.lineage.parentId !== undefined) return completed
    const asked = yield* Asking.put(parts, running, { kind: "completion", question: text, options: [OpenAsk.accept] })
    yield* Asking.watched(running, asked, beside)
    const answer = yield* Asking.toMessage(parts, running, asked)
    return answer === undefined ? unattended : answer === "accepted" ? completed : Call.goOn
  }, Effect.scoped)

const offer = (parts: Parts): Questions["Service"]["offer"] =>
  Effect.fn("Questions.offer")(function* (running, { callId, result }, beside) {
    const asked = yield* Asking.put(parts, running, {
      kind: "completion",
      callId,
      question: result,
      options: [OpenAsk.accept]
    })
    yield* Asking.watched(running, asked, beside)
    const reply = yield* Asking.replyTo(parts, running, asked)
    if (reply === undefined) return { _tag: "Accepted", steps: [] } satisfies Verdict
    const { by, requestId, text } = reply
    const accepted = OpenAsk.accepts(reply)
    const settled = accepted ? { decision: "allow" as const, by } : { by, ...(text === undefined ? {} : { text }) }
    const steps = [closed(running, asked.askId, { ...settled, requestId }), ...OpenAsk.applied(requestId)]
    if (accepted) return { _tag: "Accepted", steps } satisfies Verdict
    Transitions.heardUser(running)
    return { _tag: "NotYet", text, steps } satisfies Verdict
  }, Effect.scoped)

const guidance = (parts: Parts): Questions["Service"]["guidance"] =>
  Effect.fn("Questions.guidance")(function* (running, question) {
    const paused = { _tag: "Pause", reason: "mistakes", detail: question } as const
    if (!parts.person.attended) return paused
    const asked = yield* Asking.put(parts, running, { kind: "mistakes", question })
    if ((yield* Asking.toMessage(parts, running, asked)) !== undefined) return Call.goOn
    // The stop asks for itself.
    yield* parts.journal.commit([closed(running, asked.askId, { by: "unattended" })])
    return paused
  })

/** A question of two options whose answer in other words is a message and means yes. */
const choose = Effect.fnUntraced(function* (
  parts: Parts,
  running: ActiveTask,
  kind: Event.AskKind,
  question: string,
  yes: string,
  no: string
) {
  if (!parts.person.attended) return "unattended" as const
  const asked = yield* Asking.put(parts, running, { kind, question, options: [yes, no] })
  const heard = yield* Asking.answerOf(parts, running, asked)
  if (heard === undefined) {
    yield* parts.journal.commit([closed(running, asked.askId, { by: "unattended" })])
    return "unattended" as const
  }
  const { steps, text } = heard
  const words = text === yes || text === no ? [] : [text]
  yield* parts.journal.commit([...steps, ...words.map((word) => Asking.said(running, asked, word))])
  return text !== no
})

const tryAgain =
  (parts: Parts): Questions["Service"]["tryAgain"] =>
  (running, question) =>
    Effect.map(choose(parts, running, "mistakes", question, again, stop), (answer) => answer === true)

const condense =
  (parts: Parts): Questions["Service"]["condense"] =>
  (running, question) =>
    choose(parts, running, "context", question, condenseNow, notNow)
