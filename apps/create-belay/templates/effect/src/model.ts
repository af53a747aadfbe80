/** The model: the service where ANTHROPIC_API_KEY is set, else an act of two calls that shows the way without a key. */
import { ModelClient } from "@belay/model-client"
import * as Anthropic from "@belay/model-client/anthropic"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"

const calls = [
  { type: "tool_use", id: "call-1", name: "weather", input: { city: "Bergen" } },
  { type: "tool_use", id: "call-2", name: "attempt_completion", input: { result: "Take a coat." } }
] as const

const act = Layer.succeed(ModelClient.ModelClient, {
  stream: ({ messages, model }) => {
    const isAnswered = messages.some(({ content }) => content.some(({ type }) => type === "tool_result"))
    return Stream.succeed({
      _tag: "Finished",
      message: { role: "assistant", content: [calls[isAnswered ? 1 : 0]] },
      stopReason: "tool_use",
      spoiled: [],
      usage: { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 },
      model
    })
  },
  ready: () => Effect.void,
  service: () => "here",
  countTokens: () => Effect.succeed(Option.none())
})

const { ANTHROPIC_API_KEY: apiKey } = process.env

export const model = apiKey === undefined ? act : Anthropic.layer({ apiKey: Redacted.make(apiKey) })
