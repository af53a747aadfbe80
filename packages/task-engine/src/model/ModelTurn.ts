/**
 * One answer of the model: the request built from the log, the stream shown as it comes, the finished message.
 *
 * The request's prefix is the log as it was sent before: nothing sent is changed or removed. An answer that does not
 * finish leaves its text in `running.partial` and nothing else; a partial tool call never leaves here.
 */
import { Condense, Conversation, type Message, Usage } from "@belay/message-state"
import { ModelClient, type ModelError, type ModelEvent, type ModelRequest, ModelTable } from "@belay/model-client"
import { Streaming } from "@belay/task-state"
import { type Tool, ToolCatalog } from "@belay/tool-executor"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as ContextSize from "../active/ContextSize.ts"
import type { LiveBody } from "../active/LiveEvent.ts"
import { Models, Settings } from "@belay/settings"
import * as OfferedTools from "./OfferedTools.ts"
import * as Sentences from "../text/Sentences.ts"
import type { ActiveTask } from "../active/ActiveTask.ts"
import * as StoppedShort from "../active/StoppedShort.ts"
import * as PartialUsage from "../active/PartialUsage.ts"
import * as RetryCount from "../active/RetryCount.ts"
import * as SystemPrompt from "../prompt/SystemPrompt.ts"
import { TaskEvents } from "../active/TaskEvents.ts"
import * as ThinkingBlocks from "./ThinkingBlocks.ts"
import * as UnseenImages from "./UnseenImages.ts"

export interface Answered extends ModelEvent.Finished {
  readonly costUsd: number | null
  /** The tokens that the answer could have. */
  readonly maxTokens: number
  /** Who made it. */
  readonly by: Message.Maker
}

export interface ModelTurn {
  /**
   * The finished answer; what it takes until then is in `running.taken`. Errors: `ModelError`, after the client's own
   * retries; `StoppedShort`. `again` comes before a request that follows one which has taken something.
   */
  readonly answer: <E>(
    running: ActiveTask,
    again: Effect.Effect<void, E>
  ) => Effect.Effect<Answered, ModelError.ModelError | StoppedShort.StoppedShort | E>
  /** An answer to words after some messages of the task, which is no answer of the task and is not shown. */
  readonly aside: <E>(
    running: ActiveTask,
    messages: ReadonlyArray<Message.Message>,
    words: Message.TextBlock,
    again: Effect.Effect<void, E>
  ) => Effect.Effect<Answered, ModelError.ModelError | StoppedShort.StoppedShort | E>
  /** The characters of a request with these messages; with those of the task unless told. */
  readonly weight: (running: ActiveTask, messages?: ReadonlyArray<Message.Message>) => number
  /** The tokens of the request that would be made now, estimated high: a token is 3.5 characters of it or more. */
  readonly inputTokens: (running: ActiveTask) => number
  /** Shows something that is not stored. */
  readonly live: (running: ActiveTask, body: LiveBody) => Effect.Effect<void>
}

/** A request, and who is asked. */
interface Asked {
  readonly request: ModelRequest.ModelRequest
  readonly by: Message.Maker
}

/** The states of a request that people see. */
const shownAs: Partial<Record<Streaming.Tag, Extract<LiveBody, { readonly type: "answer" }>["state"]>> = {
  waitingForFirstChunk: "waiting",
  streaming: "streaming",
  complete: "complete",
  aborted: "aborted"
}

/** The engine makes the request again by itself when the transport gives up. */
const mayRepeat = ({ recovery }: ActiveTask): boolean => recovery._tag === "Working" && !recovery.didAutomaticallyRetry

export const make: Effect.Effect<ModelTurn, never, ModelClient.ModelClient | ToolCatalog | TaskEvents> = Effect.gen(
  function* () {
    const client = yield* ModelClient.ModelClient
    const catalog = yield* ToolCatalog
    const events = yield* TaskEvents
    const offered = OfferedTools.make(catalog.tools)
    /** By the offered tools: as a task with a checklist is told of them, and as one without. */
    const defined = new WeakMap<
      ReadonlyArray<Tool.Tool>,
      Record<"listed" | "bare", ModelRequest.ModelRequest["tools"]>
    >()

    const toolsOf = (running: ActiveTask): ModelRequest.ModelRequest["tools"] => {
      const tools = offered.all(running)
      const told = defined.get(tools) ?? { listed: tools.map(catalog.define), bare: tools.map(catalog.defineBare) }
      defined.set(tools, told)
      return running.settings.focusChain.enabled ? told.listed : told.bare
    }

    /** The context holds the prompt and the answer: one that is nearly full leaves a shorter answer, never less than the reserve. */
    const roomFor = (running: ActiveTask): number => {
      const { inputLimit, outputReserve } = Models.inMode(running.settings, running.mode)
      const most = running.granted ?? Models.outputTokens(running.settings, running.mode)
      return Math.min(most, Math.max(outputReserve, inputLimit - inputTokens(running)))
    }

    const request = (running: ActiveTask, shown: ReadonlyArray<Message.Message>): Asked => {
      const { mode, settings } = running
      const model = Settings.modelFor(settings, mode)
      const system = SystemPrompt.of(settings)
      const tools = toolsOf(running)
      const service = client.service({ model, mode })
      const { by, messages } = ThinkingBlocks.sent(
        Models.inMode(settings, mode).images ? shown : UnseenImages.images(shown),
        {
          service,
          model,
          head: [system, tools]
        }
      )
      const maxTokens = roomFor(running)
      const thinking = ModelTable.within(Models.thinking(settings, mode), maxTokens)
      const temperature = Models.temperature(settings, mode, thinking)
      return {
        by,
        request: {
          taskId: running.id,
          model,
          mode,
          system,
          tools,
          messages: Conversation.withOwnIds(messages),
          maxTokens,
          usedIds: running.callIds,
          ...(thinking === undefined ? {} : { thinking }),
          ...(temperature === undefined ? {} : { temperature })
        }
      }
    }

    const live = (running: ActiveTask, body: LiveBody): Effect.Effect<void> =>
      Effect.map(Clock.currentTimeMillis, (ts) => {
        running.live += 1
        events.publish({ taskId: running.id, ts, after: running.lastSeq, n: running.live, ...body })
      })

    /** Takes a step of the request's state machine; what it forbids is not taken. Every new state is shown. */
    const streamed = (running: ActiveTask, event: Streaming.Event): Effect.Effect<void> =>
      Effect.suspend(() => {
        const before = running.streaming
        const next = Streaming.stepAny(before, event)
        if (next._tag === "Failure") return Effect.void
        running.streaming = next.success
        const state = shownAs[running.streaming._tag]
        const isShown = state !== undefined && running.streaming._tag !== before._tag
        return isShown ? live(running, { type: "answer", state }) : Effect.void
      })

    /** A request is made; an answer that was still arriving is void. */
    const begin = (running: ActiveTask, reason: string): Effect.Effect<void> =>
      Effect.gen(function* () {
        running.partial.clear()
        yield* streamed(running, { _tag: "Abort", reason })
        yield* streamed(running, { _tag: "Reset" })
        yield* streamed(running, { _tag: "Request" })
      })

    /** What was waited for will not come. */
    const aborted = (running: ActiveTask, reason: string) => streamed(running, { _tag: "Abort", reason })

    const present = (running: ActiveTask, event: ModelEvent.ModelEvent): Effect.Effect<void> => {
      switch (event._tag) {
        case "BlockStarted":
          return Effect.andThen(
            streamed(running, { _tag: "FirstChunk" }),
            streamed(running, { _tag: "Present", block: event.index })
          )
        case "TextDelta":
          running.partial.set(event.index, (running.partial.get(event.index) ?? "") + event.text)
          return live(running, { type: "text.delta", text: event.text })
        case "Waiting":
          return live(running, { type: "progress", text: `The model has not begun to answer for ${event.seconds} s.` })
        case "Retrying":
          running.tries = RetryCount.transport(running.tries, event, mayRepeat(running))
          return Effect.andThen(
            begin(running, event.reason.reason._tag),
            live(running, { type: "progress", text: RetryCount.line(running.tries, event.reason.message, event.inMs) })
          )
        default:
          return Effect.void
      }
    }

    const lengths = new WeakMap<object, number>()
    /** Of what most requests have in common, and is one value then. */
    const lengthOf = (part: object): number => {
      const length = lengths.get(part) ?? JSON.stringify(part).length
      lengths.set(part, length)
      return length
    }

    const weight: ModelTurn["weight"] = (running, messages = running.messages) => {
      const known = lengthOf(SystemPrompt.of(running.settings)) + lengthOf(toolsOf(running))
      return known + Condense.weight(messages)
    }

    const priced = (
      running: ActiveTask,
      { by, request: { maxTokens, model } }: Asked,
      finished: ModelEvent.Finished
    ): Answered => {
      const { price } = Models.of(running.settings, model)
      const usage = PartialUsage.told(finished.usage, {
        inputTokens: inputTokens(running),
        characters: Condense.weight([finished.message])
      })
      return { ...finished, usage, by, model, maxTokens, costUsd: Usage.cost(usage, price) }
    }

    /** Makes the request, and keeps what it takes; each event is shown by `show`. */
    const streamOf = <E>(
      running: ActiveTask,
      { request: asked }: Asked,
      again: Effect.Effect<void, E>,
      show: (event: ModelEvent.ModelEvent) => Effect.Effect<void>
    ) =>
      Effect.gen(function* () {
        const begin = Effect.gen(function* () {
          if (running.taken?.began === true) yield* again
          running.taken = PartialUsage.begun(asked.model, inputTokens(running))
          return running.taken
        })
        let taken = yield* begin
        let finished: ModelEvent.Finished | undefined
        yield* Stream.runForEach(client.stream(asked), (event) =>
          Effect.gen(function* () {
            if (event._tag === "Retrying") taken = yield* begin
            if (event._tag !== "Waiting") PartialUsage.note(taken, event, yield* Clock.currentTimeMillis)
            if (event._tag === "Finished") finished = event
            else yield* show(event)
          })
        )
        if (finished === undefined) return yield* Effect.die("a model stream ended without an answer")
        const short = StoppedShort.of({ ...finished, model: asked.model })
        return short === undefined ? finished : yield* short
      })

    const aside: ModelTurn["aside"] = (running, messages, words, again) =>
      Effect.gen(function* () {
        const asked = request(running, [...messages, { role: "user", content: [words] }])
        yield* live(running, { type: "progress", text: "Condensing the conversation." })
        return priced(running, asked, yield* streamOf(running, asked, again, () => Effect.void))
      })

    /** Services and models of which it was said that others answer. */
    const replaced = new Set<string>()

    /** Some services answer with another model where they do not have the one that was asked: that is said once. */
    const toldOfOther = (
      running: ActiveTask,
      { by: { model, service } }: Asked,
      answered: string
    ): Effect.Effect<void> => {
      const key = `${service} ${model}`
      if (answered === "" || replaced.has(key) || ModelTable.isSame(model, answered)) return Effect.void
      replaced.add(key)
      return live(running, { type: "progress", text: Sentences.otherModel({ asked: model, answered, service }) })
    }

    const answer: ModelTurn["answer"] = (running, again) =>
      Effect.gen(function* () {
        yield* begin(running, "retried")
        const asked = request(running, running.messages)
        const characters = weight(running)
        const finished = yield* streamOf(running, asked, again, (event) => present(running, event))
        // An answer without a block is one, too.
        yield* streamed(running, { _tag: "FirstChunk" })
        yield* streamed(running, { _tag: "End" })
        yield* toldOfOther(running, asked, finished.model)
        running.size = { weight: characters, tokens: ContextSize.promptTokens(finished.usage) }
        return priced(running, asked, finished)
      }).pipe(Effect.onError((cause) => aborted(running, Cause.hasInterruptsOnly(cause) ? "interrupted" : "failed")))

    const inputTokens: ModelTurn["inputTokens"] = (running) =>
      Math.ceil(
        Math.max(weight(running) / ContextSize.charactersPerToken, ContextSize.tokens(running.size, weight(running)))
      )

    return { answer, aside, weight, inputTokens, live }
  }
)

/** The text of an answer that did not finish, as a message; nothing when none had begun, or all of it is stored. */
export const partialMessage = (running: ActiveTask): Message.Message | undefined => {
  if (!Streaming.isCutOff(running.streaming)) return undefined
  const texts = [...running.partial.entries()]
    .toSorted(([a], [b]) => a - b)
    .map(([, text]) => text)
    .filter((text) => text.trim() !== "")
  return texts.length === 0
    ? undefined
    : { role: "assistant", content: texts.map((text) => ({ type: "text", text: text.trimEnd() })) }
}
