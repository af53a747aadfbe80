/**
 * Models for programs without Effect: Anthropic's service and all that speak as it does, and models of one's own.
 */
import { streamOf } from "@belay/machine/promise"
import type { ContentBlock } from "@belay/message-state/blocks"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Anthropic from "./anthropic.ts"
import * as Client from "./ModelClient.ts"
import { ModelError as Failure } from "./ModelError.ts"
import type * as Event from "./ModelEvent.ts"
import type { ModelRequest as Request } from "./ModelRequest.ts"

export type {
  ContentBlock,
  ImageBlock,
  RedactedThinkingBlock,
  TextBlock,
  ThinkingBlock,
  ToolResultBlock,
  ToolUseBlock
} from "@belay/message-state/blocks"

/** A model that tasks can be given: made by `anthropic` or `defineModel`. */
export interface Model {
  /** Its id, as the service knows it. */
  readonly id: string
  /** The client, which only Belay reads. */
  readonly "~belay": unknown
}

/** Says which service is asked, and for which model. */
export interface AnthropicOptions {
  /** The key is sent to this service alone, and is in no error. */
  readonly apiKey?: string
  /** A token instead of a key. */
  readonly authToken?: string
  /** `https://api.anthropic.com` by default. */
  readonly baseUrl?: string
  /** The id of the model, or a short name such as `opus`. */
  readonly model?: string
  /** False for a service that cannot count tokens. */
  readonly countsTokens?: boolean
}

/** The model that is asked where nothing names one. */
export const defaultModel = "claude-sonnet-5-5"

/** A model of a service that speaks the Messages API. Nothing is read from the environment and nothing is sent yet. */
export const anthropic = ({ apiKey, authToken, model = defaultModel, ...rest }: AnthropicOptions): Model => ({
  id: model,
  "~belay": Anthropic.layer({
    ...rest,
    ...(apiKey === undefined ? {} : { apiKey: Redacted.make(apiKey) }),
    ...(authToken === undefined ? {} : { authToken: Redacted.make(authToken) })
  })
})

/** One message of a conversation. */
export interface ModelMessage {
  readonly role: "user" | "assistant"
  readonly content: ReadonlyArray<ContentBlock>
}

/** Asks a model for one answer; never changed. */
export interface ModelRequest {
  readonly taskId: string
  readonly model: string
  readonly mode?: "plan" | "act"
  readonly system: ReadonlyArray<{ readonly type: "text"; readonly text: string }>
  readonly tools: ReadonlyArray<{
    readonly name: string
    readonly description: string
    /** JSON Schema. */
    readonly input_schema: { readonly [key: string]: unknown }
  }>
  readonly messages: ReadonlyArray<ModelMessage>
  readonly maxTokens: number
  readonly temperature?: number
}

/** The tokens of one request; the four counts do not overlap. */
export interface ModelUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
}

/** Tells what a model of one's own says: pieces as they come, and last of all the whole answer. */
export type ModelEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | {
      readonly type: "finished"
      /** With the calls of tools. */
      readonly content: ReadonlyArray<ContentBlock>
      /** `tool_use` or `end_turn` by default, as the content has calls or none. */
      readonly stopReason?: string
      readonly usage?: Partial<ModelUsage>
    }

/** Describes a model of one's own. */
export interface ModelDefinition {
  /** `own` by default. */
  readonly id?: string
  /** Gives the events of one answer. What it throws ends the request, and an abort of the signal should end it. */
  readonly stream: (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>
  /** The tokens of a request; without it they are estimated. */
  readonly countTokens?: (request: ModelRequest) => Promise<number>
}

/** The error of a request without a whole answer; `reason._tag` says why. */
export const ModelError: abstract new (...given: never) => Error & {
  readonly _tag: "ModelError"
  readonly reason: { readonly _tag: string }
  readonly host: string
} = Failure

const usageOf = (usage: Partial<ModelUsage> = {}): ModelUsage => ({
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  ...usage
})

const eventOf = (event: ModelEvent, { model }: Request): Event.ModelEvent => {
  switch (event.type) {
    case "text":
      return { _tag: "TextDelta", index: 0, text: event.text }
    case "thinking":
      return { _tag: "ThinkingDelta", index: 0, text: event.text }
    case "finished": {
      const calls = event.content.some(({ type }) => type === "tool_use")
      const message = { role: "assistant", content: event.content } as const
      const { stopReason = calls ? "tool_use" : "end_turn" } = event
      return { _tag: "Finished", message, stopReason, spoiled: [], usage: usageOf(event.usage), model }
    }
  }
}

const said = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** A model of one's own, whatever it is made of. An answer without `finished` counts as one that was lost. */
export const defineModel = ({ countTokens, id = "own", stream }: ModelDefinition): Model => {
  const failed = (cause: unknown) =>
    cause instanceof Failure ? cause : new Failure({ reason: { _tag: "Malformed", detail: said(cause) }, host: id })
  return {
    id,
    "~belay": Layer.succeed(Client.ModelClient, {
      ready: () => Effect.void,
      service: () => id,
      stream: (request) =>
        Stream.map(
          streamOf((signal) => stream(request, signal), failed),
          (event) => eventOf(event, request)
        ),
      countTokens: (request) =>
        countTokens === undefined
          ? Effect.succeed(Option.none())
          : Effect.map(Effect.tryPromise({ try: () => countTokens(request), catch: failed }), Option.some)
    })
  }
}

/** The client of a model, for the engine. */
export const clientOf = (model: Model): unknown => model["~belay"]
