/**
 * What a scripted server answers, as plain data: a scenario is valid JSON, and nothing in it depends on time or chance.
 *
 * The answer to a request follows from the request alone, so a request repeated after a crash gets the same answer.
 * Unknown keys are refused, so that a misspelt field never passes as a default.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** A block as the service sends it; `id` of a tool call defaults to `toolu_<script>_<answer>_<block>`. */
export const BlockSpec = Schema.Union([
  Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }),
  Schema.Struct({ type: Schema.Literal("thinking"), thinking: Schema.String, signature: Schema.String }),
  Schema.Struct({ type: Schema.Literal("redacted_thinking"), data: Schema.String }),
  Schema.Struct({
    type: Schema.Literal("tool_use"),
    id: Schema.optionalKey(Schema.String),
    name: Schema.String,
    input: Schema.Unknown,
    /** Sent in place of the JSON of the input. */
    raw: Schema.optionalKey(Schema.String)
  })
])
export type BlockSpec = typeof BlockSpec.Type

/** Token counts under the service's names; `input_tokens` is 100 and `output_tokens` 20 unless told. */
export const UsageSpec = Schema.Struct({
  input_tokens: Schema.optionalKey(Schema.Natural),
  output_tokens: Schema.optionalKey(Schema.Natural),
  cache_creation_input_tokens: Schema.optionalKey(Schema.Natural),
  cache_read_input_tokens: Schema.optionalKey(Schema.Natural)
})
export type UsageSpec = typeof UsageSpec.Type

/** An HTTP error; `type` and `message` default to what the service sends with this status. */
export const ErrorSpec = Schema.Struct({
  status: Schema.Int,
  type: Schema.optionalKey(Schema.String),
  message: Schema.optionalKey(Schema.String),
  /** The `retry-after` header: seconds or an HTTP date. */
  retryAfter: Schema.optionalKey(Schema.Union([Schema.Finite, Schema.String])),
  /** The `retry-after-ms` header. */
  retryAfterMs: Schema.optionalKey(Schema.Finite)
})
export type ErrorSpec = typeof ErrorSpec.Type

/**
 * One answer. Positions count the events of the answer from 0; those given as `...At` default to just after the first
 * delta, where a client has begun to show something.
 */
export const Answer = Schema.Struct({
  content: Schema.optionalKey(Schema.Array(BlockSpec)),
  /** `tool_use` when the content has a tool call, else `end_turn`. */
  stopReason: Schema.optionalKey(Schema.String),
  usage: Schema.optionalKey(UsageSpec),
  /** Answer with this status instead. */
  error: Schema.optionalKey(ErrorSpec),
  /** Answer with this web page and status 200 instead. */
  page: Schema.optionalKey(Schema.String),
  /** Send an `error` event in the stream and end it, as the service does when it is overloaded in mid-answer. */
  streamError: Schema.optionalKey(Schema.Struct({ type: Schema.String, message: Schema.String })),
  streamErrorAt: Schema.optionalKey(Schema.Natural),
  /** Cut the connection after so many bytes of the body. */
  disconnectAtByte: Schema.optionalKey(Schema.Natural),
  /** Text put into the stream as it is. */
  malformed: Schema.optionalKey(Schema.String),
  malformedAt: Schema.optionalKey(Schema.Natural),
  /** Serve the error, page, `streamError`, disconnection or malformed text so many times, then the content. Default: always. */
  times: Schema.optionalKey(Schema.Natural),
  /** Milliseconds before each event. */
  delayMs: Schema.optionalKey(Schema.Natural),
  /** The name of a gate: the answer stops at `holdAt` until the gate is released. */
  hold: Schema.optionalKey(Schema.String),
  /** A position past the last event holds the end of the body. */
  holdAt: Schema.optionalKey(Schema.Natural),
  /** Refuse the request (400) unless its newest message contains this text. */
  after: Schema.optionalKey(Schema.String),
  /** Use this answer whenever the newest message contains this text, whatever the index; it takes no index. */
  on: Schema.optionalKey(Schema.String)
})
export type Answer = typeof Answer.Type

/** The answers of one conversation: a request with n assistant messages gets `answers[n]` (those with `on` aside). */
export const Script = Schema.Struct({
  match: Schema.Struct({
    /** A part of the text of the conversation's first user message. */
    prompt: Schema.optionalKey(Schema.String),
    /** The value of `x-belay-task`. */
    task: Schema.optionalKey(Schema.String)
  }),
  /** Serve any number of conversations, not only the first that fits. */
  shared: Schema.optionalKey(Schema.Boolean),
  answers: Schema.Array(Answer)
})
export type Script = typeof Script.Type

/** The services whose ways the server can take on. */
export const Dialect = Schema.Literals(["ollama", "openrouter", "llama.cpp", "deepseek", "litellm"])
export type Dialect = typeof Dialect.Type

/** Decodes everything that a scripted server answers. */
export const Scenario = Schema.Struct({
  /** Stream as this service does, and count only where it does. */
  dialect: Schema.optionalKey(Dialect),
  /** The only accepted key, as `x-api-key` or bearer token; every request is accepted without it. */
  apiKey: Schema.optionalKey(Schema.String),
  tasks: Schema.Array(Script),
  /** For conversations without a script, and past the last answer of a script; without it those get a 400. */
  fallback: Schema.optionalKey(Answer),
  /** The answer of `count_tokens`; `false` answers 404. Default: a quarter of the body's characters. */
  countTokens: Schema.optionalKey(Schema.Union([Schema.Natural, Schema.Literal(false)])),
  /** Keep the requests for inspection (default true); turn it off in long measurements. */
  record: Schema.optionalKey(Schema.Boolean)
})
export type Scenario = typeof Scenario.Type

/** A scenario that does not have the shape above; nothing was started. */
export class ScenarioInvalid extends Schema.TaggedError<ScenarioInvalid>()("ScenarioInvalid", {
  detail: Schema.String
}) {
  override get message() {
    return `The scenario is not valid: ${this.detail}. Compare it with the Scenario schema.`
  }
}

const decode = Schema.decodeUnknownEffect(Scenario, { onExcessProperty: "error" })

/** Checks a scenario, for example one read from JSON. */
export const parse = (input: unknown): Effect.Effect<Scenario, ScenarioInvalid> =>
  Effect.mapError(decode(input), (error) => new ScenarioInvalid({ detail: error.message.replace(/\s+/gu, " ") }))
