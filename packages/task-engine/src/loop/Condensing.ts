/**
 * Keeps the conversation within the model's context: before each request it is looked at, and above the threshold it is
 * made shorter, in steps from the cheapest to the last resort, each stored as edits in one commit.
 *
 * Repeated reads go first, then old results, then a summary that the model writes of the older part, then that part is
 * left out. A step that is not needed is not taken, and one that brings nothing is not repeated: a summary is tried
 * twice, and a conversation that cannot get shorter is sent as it is. The log is never changed, so a crash at any moment
 * leaves either the conversation as it was or the shorter one.
 */
import type { Checkpoints } from "@belay/checkpoints"
import { type Event, type Step, TaskHistory } from "@belay/history-store"
import { Condense, ContextEdit, Message } from "@belay/message-state"
import type { ModelError } from "@belay/model-client"
import { SlashCommand } from "@belay/prompt-context"
import type { ToolCatalog } from "@belay/tool-executor"
import * as Effect from "effect/Effect"
import type { Budget, Exceeded } from "../limits/Budget.ts"
import type * as Call from "../calls/Call.ts"
import * as ContextSize from "../active/ContextSize.ts"
import { Journal } from "../active/Journal.ts"
import { Models, Settings } from "@belay/settings"
import type { ModelTurn } from "../model/ModelTurn.ts"
import * as Prompt from "../prompt/Prompt.ts"
import type { Questions } from "../asks/Questions.ts"
import { fence, type ActiveTask, type StoreFailure } from "../active/ActiveTask.ts"
import * as UserIntent from "../prompt/UserIntent.ts"
import * as ContextSummary from "../context/ContextSummary.ts"
import * as StoppedShort from "../active/StoppedShort.ts"
import type { InterruptSignal } from "../interrupt/InterruptSignal.ts"

/** Why the request cannot be made now; nothing when it can. */
export type Stopped = Call.Pause | ({ readonly _tag: "Limited" } & Exceeded)

type Outcome = Effect.Effect<Stopped | undefined, StoreFailure>

export interface Condensing {
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

export interface Parts {
  readonly model: ModelTurn
  readonly budget: Budget
  readonly questions: Questions
  readonly stops: InterruptSignal
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
const asked = ({ messages }: ActiveTask): string | undefined => {
  const at = messages.findLastIndex(({ role }) => role === "assistant")
  if (at < 0) return undefined
  for (const said of UserIntent.words(messages, at + 1)) {
    const found = SlashCommand.known(said)
    if (found?.name === "compact" || found?.name === "smol") return found.rest
  }
  return undefined
}

export const make = ({
  budget,
  model,
  questions,
  stops
}: Parts): Effect.Effect<Condensing, never, Checkpoints | Journal | TaskHistory | ToolCatalog> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const history = yield* TaskHistory

    const limitOf = (running: ActiveTask): number => {
      const { inputLimit, outputReserve } = Models.inMode(running.settings, running.mode)
      return Math.max(1, inputLimit - outputReserve)
    }

    /** What is known of a resumed task's size is what its newest stored answer said. */
    const countedOf = (running: ActiveTask): ContextSize.Counted | undefined => {
      if (running.size !== undefined || running.contextTokens === 0) return running.size
      const answered = running.messages.findLastIndex(({ role }) => role === "assistant") + 1
      return { weight: model.weight(running, running.messages.slice(0, answered)), tokens: running.contextTokens }
    }

    const tokensOf = (running: ActiveTask, messages = running.messages): number =>
      ContextSize.tokens(countedOf(running), model.weight(running, messages))

    /** Characters that this many tokens have in this conversation. */
    const charactersOf = (running: ActiveTask, tokens: number): number =>
      (tokens * model.weight(running)) / Math.max(1, tokensOf(running))

    /** Stores edits and shows them from then on. */
    const apply = (
      running: ActiveTask,
      step: Event.CondenseStep,
      edits: ReadonlyArray<ContextEdit.Draft>,
      before: ReadonlyArray<Step.Step> = []
    ) =>
      Effect.gen(function* () {
        const tokens = tokensOf(running)
        const shown = ContextEdit.view(running.messages, edits)
        const after = tokensOf(running, [...shown])
        const removed = running.messages.length - shown.length
        const condensed: Step.Step = {
          _tag: "Condensed",
          ...fence(running),
          edits,
          step,
          before: Math.round(tokens),
          after: Math.round(after),
          removed: removed === 0 ? 0 : removed + 1
        }
        yield* journal.commit([...before, condensed], { commit: "condense.commit" })
        running.size ??= countedOf(running)
        running.messages.splice(0, running.messages.length, ...shown)
      }).pipe(Effect.uninterruptible)

    const standIn = yield* ContextSummary.make

    /** Puts a summary in the place of what is before a position. False when it brought nothing. */
    const summarised = (running: ActiveTask, upTo: number, focus: string) =>
      budget.within(running, (again) =>
        Effect.gen(function* () {
          const part = running.messages.slice(0, upTo)
          const answered = yield* stops.until(
            running,
            journal.around("condense.summary", model.aside(running, part, Prompt.summarise(focus), again))
          )
          const { costUsd, model: by, usage } = answered
          const spent: Step.Step = { _tag: "Spent", ...fence(running), usage, model: by, costUsd }
          const text = Message.textOf(answered.message).trim()
          const draft = yield* standIn(running, upTo, `${Prompt.summary}\n\n${text}`, "summary")
          const isShorter = Condense.weight([draft.message]) < Condense.weight(running.messages.slice(1, upTo))
          if (Message.isSaid(text) && isShorter) {
            yield* apply(running, "summary", [draft.edit], [spent])
            return true
          }
          yield* journal.commit([spent])
          return false
        })
      )

    const tried = (running: ActiveTask, upTo: number, focus: string): Effect.Effect<Stopped | boolean, StoreFailure> =>
      Effect.gen(function* () {
        for (let attempt = 0; attempt < summaryTries; attempt++) {
          const made = yield* summarised(running, upTo, focus).pipe(
            Effect.catchTag(["ModelError", "StoppedShort"], (error) => Effect.as(note(running, error), undefined))
          )
          if (made?._tag === "Refused") return { _tag: "Limited", ...made.by }
          if (made?.value === true) return true
        }
        return false
      })

    const note = (running: ActiveTask, error: ModelError.ModelError | StoppedShort.StoppedShort) =>
      journal.commit([{ _tag: "Failed", ...fence(running), tag: error._tag, message: error.message }])

    /** Leaves the older part out; what is left and still too long has its long results shortened. */
    const cut = (running: ActiveTask, limit: number) =>
      Effect.gen(function* () {
        const upTo = Condense.tailFrom(running.messages, charactersOf(running, limit * tailOfCut))
        if (upTo !== undefined) {
          const { edit } = yield* standIn(running, upTo, Prompt.leftOut(upTo - 1), "left-out")
          yield* apply(running, "cut", [edit])
        }
        if (tokensOf(running) <= limit * enough) return
        const shortened = Condense.shortened(running.messages)
        if (shortened !== undefined) yield* apply(running, "outputs", [shortened])
      })

    /** The plan for old results: as few as are needed for `goal`. */
    const oldOutputs = (running: ActiveTask, limit: number, goal: number) => {
      const keepFrom = Condense.tailFrom(running.messages, charactersOf(running, limit * recent))
      const free = Math.max(0, model.weight(running) - charactersOf(running, goal))
      return keepFrom === undefined ? undefined : Condense.oldOutputs(running.messages, { keepFrom, free, reads })
    }

    /** The steps, until the conversation fills no more than `goal` tokens. */
    const steps = (running: ActiveTask, limit: number, goal: number): Outcome =>
      Effect.gen(function* () {
        const isEnough = (messages = running.messages) => tokensOf(running, messages) <= goal
        const repeated = Condense.repeatedReads(running.messages, reads)
        if (repeated !== undefined) yield* apply(running, "reads", [repeated])
        if (isEnough()) return undefined
        const old = oldOutputs(running, limit, goal)
        const isOutputs = old !== undefined && isEnough([...ContextEdit.view(running.messages, [old])])
        // What is to be summed up is shown whole, unless it does not fit.
        if (old !== undefined && (isOutputs || tokensOf(running) >= limit)) yield* apply(running, "outputs", [old])
        if (isOutputs) return undefined
        const upTo = Condense.tailFrom(running.messages, charactersOf(running, limit * tailOfSummary))
        const done = upTo === undefined ? false : yield* tried(running, upTo, "")
        if (typeof done === "object") return done
        const left = isEnough() ? undefined : oldOutputs(running, limit, goal)
        if (left !== undefined) yield* apply(running, "outputs", [left])
        if (!isEnough()) yield* cut(running, limit)
        return undefined
      })

    const shorten = (running: ActiveTask): Outcome =>
      Effect.gen(function* () {
        const limit = limitOf(running)
        const stopped = yield* steps(running, limit, limit * running.settings.condenseAt * enough)
        running.lookAgainAt = Math.max(0, tokensOf(running) * growth)
        return stopped
      })

    /** What was asked for: everything so far becomes a summary, and the next answer goes on from it. */
    const compact = (running: ActiveTask, words: string): Outcome =>
      Effect.gen(function* () {
        const all = running.messages.length
        const done = yield* tried(running, all, words)
        if (done !== false) return done === true ? undefined : done
        // It is not asked for again: the newest message is another one now.
        const message = {
          role: "assistant" as const,
          content: [Message.text(Prompt.notCondensed)],
          from: ["engine.condensing" as const]
        }
        const goOn = Message.from("engine.condensing", Prompt.goOn)
        yield* journal.commit([
          { _tag: "Append", ...fence(running), message },
          { _tag: "Append", ...fence(running), message: goOn }
        ])
        return undefined
      })

    /** Where condensing is not automatic a person decides; what goes on after a stop for it is a yes. */
    const mayCondense = (running: ActiveTask, tokens: number, limit: number) =>
      Effect.gen(function* () {
        if (running.settings.autoCondense) return true
        const question = Prompt.mayCondense(Math.round((100 * tokens) / limit))
        const asks = yield* history.asks(running.id)
        const last = asks.findLast(({ kind }) => kind === "context")
        if (last?.by === "resume" && last.attempt === running.record.attempt - 1 && !running.condensed) {
          running.condensed = true
          return true
        }
        const answer = yield* questions.condense(running, question)
        if (answer === "unattended") return { _tag: "Pause", reason: "context", detail: question } satisfies Call.Pause
        if (!answer) running.lookAgainAt = tokens * growth
        return answer
      })

    const makeRoom: Condensing["makeRoom"] = (running) =>
      Effect.gen(function* () {
        const wanted = asked(running)
        if (wanted !== undefined) return yield* compact(running, wanted)
        const limit = limitOf(running)
        const tokens = tokensOf(running)
        if (tokens < limit * running.settings.condenseAt || tokens < running.lookAgainAt) return undefined
        const may = yield* mayCondense(running, tokens, limit)
        if (may === true) return yield* shorten(running)
        return may === false ? undefined : may
      })

    const tooLong: Condensing["tooLong"] = (running) =>
      Effect.gen(function* () {
        const overflow = StoppedShort.overflow(Settings.modelFor(running.settings, running.mode))
        if (running.wasTooLong) return yield* overflow
        running.wasTooLong = true
        const limit = limitOf(running)
        // The service knows better than the reckoning.
        const weight = model.weight(running)
        running.size = { weight, tokens: Math.max(limit, tokensOf(running)) }
        const may = yield* mayCondense(running, tokensOf(running), limit)
        if (may === false) return yield* overflow
        if (may !== true) return may
        const stopped = yield* shorten(running)
        return stopped ?? (model.weight(running) < weight ? undefined : yield* overflow)
      })

    return { makeRoom, tooLong }
  })
