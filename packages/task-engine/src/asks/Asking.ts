/**
 * How one ask is put to people: stored before it is shown, open for everybody's answer, and answered once.
 *
 * An ask that a crash left open is the same ask afterwards.
 */
import { type Event, type Step, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import { fence, type ActiveTask, type StoreFailure } from "../active/ActiveTask.ts"
import { Journal } from "../active/Journal.ts"
import * as OpenAsk from "../active/OpenAsk.ts"
import { Prompts } from "../active/Prompts.ts"
import { TaskScheduler } from "../active/Scheduler.ts"
import * as Transitions from "../active/Transitions.ts"
import { type Ask, UserPort } from "../active/UserPort.ts"
import { opened } from "../calls/Approving.ts"
import * as AnswerSteps from "./AnswerSteps.ts"

/** What an ask is put with. */
export interface Parts {
  readonly history: TaskHistory["Service"]
  readonly journal: Journal["Service"]
  readonly person: UserPort["Service"]
  readonly prompts: Prompts["Service"]
  readonly scheduler: TaskScheduler["Service"]
}

/** What may answer an ask for the person, as long as it is open. */
export type Beside = (open: OpenAsk.OpenAsk) => Effect.Effect<unknown, StoreFailure>

interface Question {
  readonly kind: Event.AskKind
  readonly callId?: string
  readonly question: string
  readonly options?: ReadonlyArray<string>
}

/** Stores the ask, or finds it when it is open already. */
export const put: (parts: Parts, running: ActiveTask, question: Question) => Effect.Effect<Ask, StoreFailure> =
  Effect.fnUntraced(function* ({ history, journal, person }, running, question) {
    const known = (yield* history.asks(running.id)).find(
      ({ callId, kind, open }) => open && kind === question.kind && callId === (question.callId ?? null)
    )
    const askId = known?.askId ?? (yield* TaskId.make)
    const ask: Ask = { taskId: running.id, title: running.title, askId, ...question, grants: [] }
    if (person.attended) OpenAsk.open(running.asks, ask)
    if (known === undefined) yield* journal.commit([opened(running, ask)])
    return ask
  })

/** The first answer; nothing when nobody is there any more. */
export const replyTo = Effect.fnUntraced(function* (
  { person, prompts, scheduler }: Parts,
  running: ActiveTask,
  ask: Ask
) {
  const open = running.asks.get(ask.askId)
  if (open === undefined || !person.attended) {
    OpenAsk.withdraw(running.asks, ask.askId)
    return undefined
  }
  const shown = Effect.map(person.answer(ask), (given): OpenAsk.Reply | undefined =>
    given === undefined ? undefined : { ...given, by: "user" }
  )
  yield* scheduler.release(running)
  return yield* OpenAsk.reply(running.asks, open, prompts.one(shown))
})

export const answerOf = (parts: Parts, running: ActiveTask, ask: Ask) =>
  Effect.map(replyTo(parts, running, ask), (answer) => {
    if (answer === undefined) return undefined
    Transitions.heardUser(running)
    return AnswerSteps.of(running, ask, answer)
  })

export const said = (
  running: ActiveTask,
  { askId }: Ask,
  text: string,
  attached: ReadonlyArray<Message.Attachment> = []
): Step.Step => ({
  _tag: "Say",
  ...fence(running),
  id: askId,
  text,
  ...(attached.length === 0 ? {} : { attached })
})

export const watched = (running: ActiveTask, { askId }: Ask, beside: Beside) => {
  const open = running.asks.get(askId)
  return open === undefined ? Effect.void : Effect.asVoid(Effect.forkScoped(beside(open)))
}

/** The answer to an ask that no call made is a message of the user; without words they have sent one. */
export const toMessage: (
  parts: Parts,
  running: ActiveTask,
  asked: Ask
) => Effect.Effect<"accepted" | "said" | undefined, StoreFailure> = Effect.fnUntraced(
  function* (parts, running, asked) {
    const heard = yield* answerOf(parts, running, asked)
    if (heard === undefined) return undefined
    const { accepts, attached, steps, text } = heard
    if (accepts) {
      yield* parts.journal.commit(steps)
      return "accepted"
    }
    const isSaid = Message.isSaid(text) || attached.length > 0
    const words = isSaid ? said(running, asked, text, attached) : ({ _tag: "Deliver", ...fence(running) } as const)
    yield* parts.journal.commit([...steps, words])
    return "said"
  }
)
