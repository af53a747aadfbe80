/**
 * One answer of the model: the request built from the log, the stream shown as it comes, the finished message.
 *
 * The request's prefix is the log as it was sent before: nothing sent is changed or removed. An answer that does not
 * finish leaves its text in `running.answer.partial` and nothing else; a partial tool call never leaves here.
 */
import { Condense, type Message, Usage } from "@belay/message-state"
import { ModelClient, type ModelError, type ModelEvent, type ModelRequest, ModelTable } from "@belay/model-client"
import { type Tool, ToolCatalog } from "@belay/tool-executor"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as ContextSize from "../active/ContextSize.ts"
import type { LiveBody } from "../active/LiveEvent.ts"
import { Models, Settings } from "@belay/settings"
import * as AnswerStream from "./AnswerStream.ts"
import { OfferedTools } from "./OfferedTools.ts"
import * as Sentences from "../text/Sentences.ts"
import type { ActiveTask } from "../active/ActiveTask.ts"
import * as StoppedShort from "../active/StoppedShort.ts"
import * as PartialUsage from "../active/PartialUsage.ts"
import * as SystemPrompt from "../prompt/SystemPrompt.ts"
import { TaskEvents } from "../active/TaskEvents.ts"
import * as ThinkingBlocks from "./ThinkingBlocks.ts"
import * as UnseenImages from "./UnseenImages.ts"
import * as Transitions from "../active/Transitions.ts"

export interface Answered extends ModelEvent.Finished {
  readonly costUsd: number | null
  /** The tokens that the answer could have. */
  readonly maxTokens: number
  /** Who made it. */
  readonly by: Message.Maker
}

export class ModelTurn extends Context.Service<
  ModelTurn,
  {
    /**
     * The finished answer; what it takes until then is in `running.budget.taken`. Errors: `ModelError`, after the client's own
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
>()("@belay/task-engine/ModelTurn") {
  static readonly layer = Layer.effect(
    ModelTurn,
    Effect.gen(function* () {
      const parts: Parts = {
        client: yield* ModelClient.ModelClient,
        catalog: yield* ToolCatalog,
        events: yield* TaskEvents,
        offered: yield* OfferedTools,
        defined: new WeakMap(),
        lengths: new WeakMap(),
        replaced: new Set()
      }

      return ModelTurn.of({
        answer: answer(parts),
        aside: aside(parts),
        weight: weight(parts),
        inputTokens: inputTokens(parts),
        live: (running, body) => AnswerStream.live(parts.events, running, body)
      })
    })
  )
}

interface Parts {
  readonly client: ModelClient.ModelClient["Service"]
  readonly catalog: ToolCatalog["Service"]
  readonly events: TaskEvents["Service"]
  readonly offered: OfferedTools["Service"]
  /** By the offered tools: as a task with a checklist is told of them, and as one without. */
  readonly defined: WeakMap<ReadonlyArray<Tool.Tool>, Record<"listed" | "bare", ModelRequest.ModelRequest["tools"]>>
  readonly lengths: WeakMap<object, number>
  /** Services and models of which it was said that others answer. */
  readonly replaced: Set<string>
}

/** A request, and who is asked. */
interface Asked {
  readonly request: ModelRequest.ModelRequest
  readonly by: Message.Maker
}

const toolsOf = ({ catalog, defined, offered }: Parts, running: ActiveTask): ModelRequest.ModelRequest["tools"] => {
  const tools = offered.all(running)
  const told = defined.get(tools) ?? { listed: tools.map(catalog.define), bare: tools.map(catalog.defineBare) }
  defined.set(tools, told)
  return running.settings.focusChain.enabled ? told.listed : told.bare
}

/** The context holds the prompt and the answer: one that is nearly full leaves a shorter answer, never less than the reserve. */
const roomFor = (parts: Parts, running: ActiveTask): number => {
  const { inputLimit, outputReserve } = Models.inMode(running.settings, running.mode)
  const most = running.budget.granted ?? Models.outputTokens(running.settings, running.mode)
  return Math.min(most, Math.max(outputReserve, inputLimit - inputTokens(parts)(running)))
}

const request = (parts: Parts, running: ActiveTask, shown: ReadonlyArray<Message.Message>): Asked => {
  const { mode, settings } = running
  const model = Settings.modelFor(settings, mode)
  const system = SystemPrompt.of(settings)
  const tools = toolsOf(parts, running)
  const service = parts.client.service({ model, mode })
  const { by, messages } = ThinkingBlocks.sent(
    Models.inMode(settings, mode).images ? shown : UnseenImages.images(shown),
    {
      service,
      model,
      head: [system, tools]
    }
  )
  const maxTokens = roomFor(parts, running)
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
      messages,
      maxTokens,
      usedIds: running.conversation.callIds,
      ...(thinking === undefined ? {} : { thinking }),
      ...(temperature === undefined ? {} : { temperature })
    }
  }
}

/** Of what most requests have in common, and is one value then. */
const lengthOf = ({ lengths }: Parts, part: object): number => {
  const length = lengths.get(part) ?? JSON.stringify(part).length
  lengths.set(part, length)
  return length
}

const weight =
  (parts: Parts): ModelTurn["Service"]["weight"] =>
  (running, messages = running.conversation.messages) => {
    const known = lengthOf(parts, SystemPrompt.of(running.settings)) + lengthOf(parts, toolsOf(parts, running))
    const isWhole = messages === running.conversation.messages
    return known + (isWhole ? Condense.weightOfLog(messages) : Condense.weight(messages))
  }

const priced = (
  parts: Parts,
  running: ActiveTask,
  { by, request: { maxTokens, model } }: Asked,
  finished: ModelEvent.Finished
): Answered => {
  const { price } = Models.of(running.settings, model)
  const usage = PartialUsage.told(finished.usage, {
    inputTokens: inputTokens(parts)(running),
    characters: Condense.weight([finished.message])
  })
  return { ...finished, usage, by, model, maxTokens, costUsd: Usage.cost(usage, price) }
}

/** Makes the request, and keeps what it takes; each event is shown by `show`. */
const streamOf = <E>(
  parts: Parts,
  running: ActiveTask,
  { request: asked }: Asked,
  again: Effect.Effect<void, E>,
  show: (event: ModelEvent.ModelEvent) => Effect.Effect<void>
) =>
  Effect.gen(function* () {
    const begin = Effect.gen(function* () {
      if (running.budget.taken?.began === true) yield* again
      return Transitions.requested(running, asked.model, inputTokens(parts)(running))
    })
    let taken = yield* begin
    let finished: ModelEvent.Finished | undefined
    yield* Stream.runForEach(parts.client.stream(asked), (event) =>
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

const aside =
  (parts: Parts): ModelTurn["Service"]["aside"] =>
  (running, messages, words, again) =>
    Effect.gen(function* () {
      const asked = request(parts, running, [...messages, { role: "user", content: [words] }])
      yield* AnswerStream.live(parts.events, running, { type: "progress", text: "Condensing the conversation." })
      return priced(parts, running, asked, yield* streamOf(parts, running, asked, again, () => Effect.void))
    })

/** Some services answer with another model where they do not have the one that was asked: that is said once. */
const toldOfOther = (
  parts: Parts,
  running: ActiveTask,
  { by: { model, service } }: Asked,
  answered: string
): Effect.Effect<void> => {
  const key = `${service} ${model}`
  if (answered === "" || parts.replaced.has(key) || ModelTable.isSame(model, answered)) return Effect.void
  parts.replaced.add(key)
  return AnswerStream.live(parts.events, running, {
    type: "progress",
    text: Sentences.otherModel({ asked: model, answered, service })
  })
}

const answer =
  (parts: Parts): ModelTurn["Service"]["answer"] =>
  (running, again) =>
    Effect.gen(function* () {
      yield* AnswerStream.begin(parts.events, running, "retried")
      const asked = request(parts, running, running.conversation.messages)
      const characters = weight(parts)(running)
      const finished = yield* streamOf(parts, running, asked, again, (event) =>
        AnswerStream.present(parts.events, running, event)
      )
      // An answer without a block is one, too.
      yield* AnswerStream.streamed(parts.events, running, { _tag: "FirstChunk" })
      yield* AnswerStream.streamed(parts.events, running, { _tag: "End" })
      yield* toldOfOther(parts, running, asked, finished.model)
      Transitions.sized(running, { weight: characters, tokens: ContextSize.promptTokens(finished.usage) })
      return priced(parts, running, asked, finished)
    }).pipe(
      Effect.onError((cause) =>
        AnswerStream.aborted(parts.events, running, Cause.hasInterruptsOnly(cause) ? "interrupted" : "failed")
      )
    )

const inputTokens =
  (parts: Parts): ModelTurn["Service"]["inputTokens"] =>
  (running) =>
    Math.ceil(
      Math.max(
        weight(parts)(running) / ContextSize.charactersPerToken,
        ContextSize.tokens(running.context.size, weight(parts)(running))
      )
    )
