import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { TaskSettings } from "../src/Settings.ts"
import { completes, make, price, requestsOf, run, script } from "./world.ts"

const model = "claude-sonnet-4-5"

/** The output limit of the first request of a task with these settings. */
const sent = (settings: Partial<TaskSettings>, prompt = "short") =>
  Effect.gen(function* () {
    const world = yield* make([script("short", completes("done"))])
    yield* world.session(run(world.task(prompt, {}, { actModel: model, models: {}, ...settings })))
    return requestsOf(world, "short")[0].max_tokens
  })

describe("the tokens that an answer may have", () => {
  it.live(
    "are 32,000 and what is thought where the model is known to take them, else 8,192, unless the settings say so",
    () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* sent({}), 48_384)
        assert.strictEqual(yield* sent({ thinking: "off" }), 32_000)
        assert.strictEqual(yield* sent({ actModel: "some-model" }), 8192)
        assert.strictEqual(yield* sent({ maxOutputTokens: 20_000 }), 20_000)
        assert.strictEqual(yield* sent({ actModel: "some-model", maxOutputTokens: 1000 }), 1000)
      })
  )

  it.live("are what the prompt leaves of the context, and never less than its reserve", () =>
    Effect.gen(function* () {
      const small = (inputLimit: number) => ({ models: { [model]: { inputLimit, outputReserve: 8192 } } })
      assert.strictEqual(yield* sent(small(9000)), 8192)
      const between = yield* sent(small(30_000))
      assert.isAbove(between, 8192)
      assert.isBelow(between, 32_000)
    })
  )

  it.live("are no more than the reserve where money or tokens are limited: all of them are reserved", () =>
    Effect.gen(function* () {
      const models = { [model]: { inputLimit: 200_000, outputReserve: 8192, price } }
      assert.strictEqual(yield* sent({ models, maxCostUsd: 1 }), 8192)
      assert.strictEqual(yield* sent({ models, maxTokens: 100_000 }), 8192)
      assert.strictEqual(yield* sent({ models, maxRequests: 5 }), 48_384)
    })
  )
})
