import { TaskHistory } from "@belay/history-store"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Settings } from "@belay/settings"
import { calls, completes, make, price, requestsOf, run, script } from "./world.ts"

const model = "claude-sonnet-4-5"

/** The output limit of the first request of a task with these settings. */
const sent = (settings: Partial<Settings.TaskSettings>, prompt = "short") =>
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

  it.live("let a file of 800 lines be written in one call", () =>
    Effect.gen(function* () {
      const content = Array.from(
        { length: 800 },
        (_, at) => `export const value${at} = compute(${at}, "row ${at}")\n`
      ).join("")
      // As many tokens as such a text takes at most.
      const usage = { input_tokens: 4000, output_tokens: Math.ceil(content.length / 2) }
      const world = yield* make([
        script("long", { ...calls(["write_to_file", { path: "long.js", content }]), usage }, completes("done"))
      ])
      const { record } = yield* world.session(run(world.task("long", {}, { actModel: model, models: {} })))
      assert.deepInclude(record, { status: "completed", result: "done" })
      assert.strictEqual(world.read("long.js"), content)
      const requests = requestsOf(world, "long")
      assert.lengthOf(requests, 2)
      assert.isAtLeast(requests[0].max_tokens, usage.output_tokens)
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

  it.live(
    "are what a limit of money or tokens leaves: a quarter, or the reserve, or all of it, and 1,024 at least",
    () =>
      Effect.gen(function* () {
        const models = { [model]: { inputLimit: 200_000, outputReserve: 8192, price } }
        const within = (settings: Partial<Settings.TaskSettings>) => sent({ models, ...settings })
        const quarter = yield* within({ maxCostUsd: 1 })
        assert.isAbove(quarter, 20_000)
        assert.isBelow(quarter, 25_000)
        assert.strictEqual(yield* within({ maxTokens: 30_000 }), 8192)
        const rest = yield* within({ maxCostUsd: 0.05 })
        assert.isAbove(rest, 1024)
        assert.isBelow(rest, 8192)
        assert.strictEqual(yield* within({ maxRequests: 5 }), 48_384)
      })
  )

  it.live("let a small task run within ten cents, at the price that the table has, and not pass them", () =>
    Effect.gen(function* () {
      const turn = { usage: { input_tokens: 4000, output_tokens: 1000 } }
      const look = (id: string) => ({ ...calls(["write_to_file", { path: id, content: id }, id]), ...turn })
      const world = yield* make([
        script("small", look("a"), look("b"), { ...completes("done"), ...turn }),
        script("endless", ...Array.from({ length: 20 }, (_, at) => look(`${at}`)))
      ])
      const limited = { actModel: "claude-sonnet-5-5", models: {}, maxCostUsd: 0.1 }
      const small = yield* world.session(run(world.task("small", {}, limited)))
      assert.strictEqual(small.record.status, "completed")
      const { record, spent } = yield* world.session(
        Effect.gen(function* () {
          const { id, record } = yield* run(world.task("endless", {}, limited))
          const history = yield* TaskHistory
          return { record, spent: (yield* history.treeUsage(id)).costUsd }
        })
      )
      assert.deepInclude(record.status === "interrupted" ? record.interruption : {}, { reason: "budget" })
      assert.isAbove(spent ?? 0, 0.05)
      assert.isAtMost(spent ?? 1, 0.1)
    })
  )
})
