/**
 * Keeps the conversation within the model's context: before each request it is looked at, and above the threshold it is
 * made shorter, in steps from the cheapest to the last resort, each stored as edits in one commit.
 *
 * Repeated reads go first, then old results, then a summary that the model writes of the older part, then that part is
 * left out. A step that is not needed is not taken, and one that brings nothing is not repeated: a summary is tried
 * twice, and a conversation that cannot get shorter is sent as it is. The log is never changed, so a crash at any moment
 * leaves either the conversation as it was or the shorter one.
 */
import { type Event, type Step, TaskHistory } from "@belay/history-store"
import { Condense, ContextEdit, Message } from "@belay/message-state"
import type { ModelError } from "@belay/model-client"
import { SlashCommand } from "@belay/prompt-context"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Budget, type Exceeded } from "../limits/Budget.ts"
import type * as Call from "../calls/Call.ts"
import { Journal } from "../active/Journal.ts"
import { Settings } from "@belay/settings"
import * as ConversationSize from "../model/ConversationSize.ts"
import { ModelTurn } from "../model/ModelTurn.ts"
import * as Prompt from "../prompt/Prompt.ts"
import { Questions } from "../asks/Questions.ts"
import { fence, type ActiveTask, type StoreFailure } from "../active/ActiveTask.ts"
import * as UserIntent from "../prompt/UserIntent.ts"
import * as ContextSummary from "../context/ContextSummary.ts"
import * as StoppedShort from "../active/StoppedShort.ts"
import { InterruptSignal } from "../interrupt/InterruptSignal.ts"
import * as Transitions from "../active/Transitions.ts"

/** Why the request cannot be made now; nothing when it can. */
export type Stopped = Call.Pause | ({ readonly _tag: "Limited" } & Exceeded)

type Outcome = Effect.Effect<Stopped | undefined, StoreFailure>

export class Condensing extends Context.Service<
  Condensing,
  {
    /** Makes room where room is needed, and does what the user asked for with `/compact`. */
    readonly makeRoom: (running: ActiveTask) => Outcome
    /**
     * The service says that the prompt is too long: makes room whatever was reckoned; once for each request. Errors:
     * `StoppedShort` where that brings nothing or has been done.
     */
    readonly tooLong: (
      running: ActiveTask
    ) => Effect.Effect<Stopped | undefined, StoreFailure | StoppedShort.StoppedShort>
  }
>()("@belay/task-engine/Condensing") {
  static readonly layer = Layer.effect(
    Condensing,
    Effect.gen(function* () {
      const parts: Parts = {
        journal: yield* Journal,
        history: yield* TaskHistory,
        model: yield* ModelTurn,
        budget: yield* Budget,
        questions: yield* Questions,
        stops: yield* InterruptSignal,
        summaries: yield* ContextSummary.ContextSummary
      }
      return Condensing.of({ makeRoom: makeRoom(parts), tooLong: tooLong(parts) })
    })
  )
}

interface Parts {
  readonly journal: Journal["Service"]
  readonly history: TaskHistory["Service"]
  readonly model: ModelTurn["Service"]
  readonly budget: Budget["Service"]
  readonly questions: Questions["Service"]
  readonly stops: InterruptSignal["Service"]
  readonly summaries: ContextSummary.ContextSummary["Service"]
}

/** Shares of what is usable: how full it is when steps end, how much of its end a step leaves alone. */
const enough = 0.75
const recent = 0.25
const tailOfSummary = 0.25
const tailOfCut = 0.4
/** How much it must grow, after it could not get shorter or the user said no, before it is looked at again. */
const growth = 1.1

const summaryTries = 2

const reads: ReadonlySet<string> = new Set(["read_file", "list_files", "search_files", "list_code_definition_names"])

/** The words that came with what the user asked for since the newest answer; nothing when they did not. */
const asked = ({ conversation: { messages } }: ActiveTask): string | undefined => {
  const at = messages.findLastIndex(({ role }) => role === "assistant")
  if (at < 0) return undefined
  for (const said of UserIntent.words(messages, at + 1)) {
    const found = SlashCommand.known(said)
    if (found?.name === "compact" || found?.name === "smol") return found.rest
  }
  return undefined
}

/** Stores edits and shows them from then on. */
const apply = Effect.fnUntraced(function* (
  parts: Parts,
  running: ActiveTask,
  step: Event.CondenseStep,
  edits: ReadonlyArray<ContextEdit.Draft>,
  before: ReadonlyArray<Step.Step> = []
) {
  const tokens = ConversationSize.tokensOf(parts.model, running)
  const shown = ContextEdit.view(running.conversation.messages, edits)
  const after = ConversationSize.tokensOf(parts.model, running, [...shown])
  const removed = running.conversation.messages.length - shown.length
  const condensed: Step.Step = {
    _tag: "Condensed",
    ...fence(running),
    edits,
    step,
    before: Math.round(tokens),
    after: Math.round(after),
    removed: removed === 0 ? 0 : removed + 1
  }
  yield* parts.journal.commit([...before, condensed], { commit: "condense.commit" })
  Transitions.sized(running, running.context.size ?? ConversationSize.countedOf(parts.model, running))
  Transitions.shown(running, shown)
}, Effect.uninterruptible)

/** Puts a summary in the place of what is before a position. False when it brought nothing. */
const summarised = (parts: Parts, running: ActiveTask, upTo: number, focus: string) =>
  parts.budget.within(running, (again) =>
    Effect.gen(function* () {
      const part = running.conversation.messages.slice(0, upTo)
      const answered = yield* parts.stops.until(
        running,
        parts.journal.around("condense.summary", parts.model.aside(running, part, Prompt.summarise(focus), again))
      )
      const { costUsd, model: by, usage } = answered
      const spent: Step.Step = { _tag: "Spent", ...fence(running), usage, model: by, costUsd }
      const text = Message.textOf(answered.message).trim()
      const draft = yield* parts.summaries.of(running, upTo, `${Prompt.summary}\n\n${text}`, "summary")
      const isShorter = Condense.weight([draft.message]) < Condense.weight(running.conversation.messages.slice(1, upTo))
      if (Message.isSaid(text) && isShorter) {
        yield* apply(parts, running, "summary", [draft.edit], [spent])
        return true
      }
      yield* parts.journal.commit([spent])
      return false
    })
  )

const tried = Effect.fnUntraced(function* (
  parts: Parts,
  running: ActiveTask,
  upTo: number,
  focus: string
): Effect.fn.Return<Stopped | boolean, StoreFailure> {
  for (let attempt = 0; attempt < summaryTries; attempt++) {
    const made = yield* summarised(parts, running, upTo, focus).pipe(
      Effect.catchTag(["ModelError", "StoppedShort"], (error) => Effect.as(note(parts, running, error), undefined))
    )
    if (made?._tag === "Refused") return { _tag: "Limited", ...made.by }
    if (made?.value === true) return true
  }
  return false
})

const note = ({ journal }: Parts, running: ActiveTask, error: ModelError.ModelError | StoppedShort.StoppedShort) =>
  journal.commit([{ _tag: "Failed", ...fence(running), tag: error._tag, message: error.message }])

/** Leaves the older part out; what is left and still too long has its long results shortened. */
const cut = Effect.fnUntraced(function* (parts: Parts, running: ActiveTask, limit: number) {
  const upTo = Condense.tailFrom(
    running.conversation.messages,
    ConversationSize.charactersOf(parts.model, running, limit * tailOfCut)
  )
  if (upTo !== undefined) {
    const { edit } = yield* parts.summaries.of(running, upTo, Prompt.leftOut(upTo - 1), "left-out")
    yield* apply(parts, running, "cut", [edit])
  }
  if (ConversationSize.tokensOf(parts.model, running) <= limit * enough) return
  const shortened = Condense.shortened(running.conversation.messages)
  if (shortened !== undefined) yield* apply(parts, running, "outputs", [shortened])
})

/** The plan for old results: as few as are needed for `goal`. */
const oldOutputs = (parts: Parts, running: ActiveTask, limit: number, goal: number) => {
  const keepFrom = Condense.tailFrom(
    running.conversation.messages,
    ConversationSize.charactersOf(parts.model, running, limit * recent)
  )
  const free = Math.max(0, parts.model.weight(running) - ConversationSize.charactersOf(parts.model, running, goal))
  return keepFrom === undefined
    ? undefined
    : Condense.oldOutputs(running.conversation.messages, { keepFrom, free, reads })
}

/** The steps, until the conversation fills no more than `goal` tokens. */
const steps = (parts: Parts, running: ActiveTask, limit: number, goal: number): Outcome =>
  Effect.gen(function* () {
    const isEnough = (messages = running.conversation.messages) =>
      ConversationSize.tokensOf(parts.model, running, messages) <= goal
    const repeated = Condense.repeatedReads(running.conversation.messages, reads)
    if (repeated !== undefined) yield* apply(parts, running, "reads", [repeated])
    if (isEnough()) return undefined
    const old = oldOutputs(parts, running, limit, goal)
    const isOutputs = old !== undefined && isEnough([...ContextEdit.view(running.conversation.messages, [old])])
    // What is to be summed up is shown whole, unless it does not fit.
    if (old !== undefined && (isOutputs || ConversationSize.tokensOf(parts.model, running) >= limit))
      yield* apply(parts, running, "outputs", [old])
    if (isOutputs) return undefined
    const upTo = Condense.tailFrom(
      running.conversation.messages,
      ConversationSize.charactersOf(parts.model, running, limit * tailOfSummary)
    )
    const done = upTo === undefined ? false : yield* tried(parts, running, upTo, "")
    if (typeof done === "object") return done
    const left = isEnough() ? undefined : oldOutputs(parts, running, limit, goal)
    if (left !== undefined) yield* apply(parts, running, "outputs", [left])
    if (!isEnough()) yield* cut(parts, running, limit)
    return undefined
  })

const shorten = (parts: Parts, running: ActiveTask): Outcome =>
  Effect.gen(function* () {
    const limit = ConversationSize.limitOf(running)
    const stopped = yield* steps(parts, running, limit, limit * running.settings.condenseAt * enough)
    Transitions.lookAgainAt(running, Math.max(0, ConversationSize.tokensOf(parts.model, running) * growth))
    return stopped
  })

/** What was asked for: everything so far becomes a summary, and the next answer goes on from it. */
const compact = (parts: Parts, running: ActiveTask, words: string): Outcome =>
  Effect.gen(function* () {
    const all = running.conversation.messages.length
    const done = yield* tried(parts, running, all, words)
    if (done !== false) return done === true ? undefined : done
    // It is not asked for again: the newest message is another one now.
    const message = {
      role: "assistant" as const,
      content: [Message.text(Prompt.notCondensed)],
      from: ["engine.condensing" as const]
    }
    const goOn = Message.from("engine.condensing", Prompt.goOn)
    yield* parts.journal.commit([
      { _tag: "Append", ...fence(running), message },
      { _tag: "Append", ...fence(running), message: goOn }
    ])
    return undefined
  })

/** Where condensing is not automatic a person decides; what goes on after a stop for it is a yes. */
const mayCondense = Effect.fnUntraced(function* (
  { history, questions }: Parts,
  running: ActiveTask,
  tokens: number,
  limit: number
) {
  if (running.settings.autoCondense) return true
  const question = Prompt.mayCondense(Math.round((100 * tokens) / limit))
  const asks = yield* history.asks(running.id)
  const last = asks.findLast(({ kind }) => kind === "context")
  if (last?.by === "resume" && last.attempt === running.record.attempt - 1 && !running.context.condensed) {
    Transitions.condensedByResume(running)
    return true
  }
  const answer = yield* questions.condense(running, question)
  if (answer === "unattended") return { _tag: "Pause", reason: "context", detail: question } satisfies Call.Pause
  if (!answer) Transitions.lookAgainAt(running, tokens * growth)
  return answer
})

const makeRoom = (parts: Parts): Condensing["Service"]["makeRoom"] =>
  Effect.fn("Condensing.makeRoom")(function* (running) {
    const wanted = asked(running)
    if (wanted !== undefined) return yield* compact(parts, running, wanted)
    const limit = ConversationSize.limitOf(running)
    const tokens = ConversationSize.tokensOf(parts.model, running)
    if (tokens < limit * running.settings.condenseAt || tokens < running.context.lookAgainAt) return undefined
    const may = yield* mayCondense(parts, running, tokens, limit)
    if (may === true) return yield* shorten(parts, running)
    return may === false ? undefined : may
  })

const tooLong = (parts: Parts): Condensing["Service"]["tooLong"] =>
  Effect.fn("Condensing.tooLong")(function* (running) {
    const overflow = StoppedShort.overflow(Settings.modelFor(running.settings, running.mode))
    if (running.context.wasTooLong) return yield* overflow
    Transitions.tooLong(running, true)
    const limit = ConversationSize.limitOf(running)
    // The service knows better than the reckoning.
    const weight = parts.model.weight(running)
    Transitions.sized(running, { weight, tokens: Math.max(limit, ConversationSize.tokensOf(parts.model, running)) })
    const may = yield* mayCondense(parts, running, ConversationSize.tokensOf(parts.model, running), limit)
    if (may === false) return yield* overflow
    if (may !== true) return may
    const stopped = yield* shorten(parts, running)
    return stopped ?? (parts.model.weight(running) < weight ? undefined : yield* overflow)
  })
