/** Models without effects, as the engine gets them. */
import { assert, describe, it } from "@effect/vitest"
import { ModelClient, type ModelEvent, type ModelRequest } from "@belay/model-client"
import { clientOf, defineModel, type Model, ModelError } from "@belay/model-client/promise"
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

const request: ModelRequest.ModelRequest = {
  taskId: TaskId.TaskId.make("t1"),
  model: "m",
  system: [],
  tools: [],
  messages: [],
  maxTokens: 10
}

const asked = <A, E>(model: Model, ask: (client: ModelClient.ModelClient["Service"]) => Effect.Effect<A, E>) =>
  Effect.runPromise(
    Effect.provide(ModelClient.ModelClient.use(ask), clientOf(model) as Layer.Layer<ModelClient.ModelClient>)
  )

const events = (model: Model): Promise<ReadonlyArray<ModelEvent.ModelEvent>> =>
  asked(model, (client) => Stream.runCollect(client.stream(request)))

describe("a model of one's own", () => {
  it("says pieces and then the whole, whose stop and usage are filled in", async () => {
    const call = { type: "tool_use", id: "c", name: "x", input: {} } as const
    const model = defineModel({
      stream: async function* () {
        yield { type: "thinking", text: "hm" }
        yield { type: "text", text: "yes" }
        yield { type: "finished", content: [call], usage: { inputTokens: 3 } }
      }
    })
    const [thinking, text, finished] = await events(model)
    assert.strictEqual(thinking?._tag, "ThinkingDelta")
    assert.strictEqual(text?._tag, "TextDelta")
    assert.deepInclude(finished, { stopReason: "tool_use", spoiled: [], model: "m" })
    assert.deepInclude(finished, {
      usage: { inputTokens: 3, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }
    })
  })

  it("fails as every model does, with what it throws in the reason", async () => {
    const model = defineModel({
      id: "mine",
      stream: async function* () {
        yield { type: "text", text: "y" }
        throw new Error("no socket")
      }
    })
    const error: unknown = await events(model).catch((cause: unknown) => cause)
    assert.isTrue(error instanceof ModelError)
    assert.include(String(error), "mine")
    assert.include(String(error), "no socket")
  })

  it("counts tokens where it can", async () => {
    const stream = async function* (): AsyncGenerator<never> {}
    const counts = defineModel({ stream, countTokens: async () => 7 })
    assert.deepStrictEqual(await asked(counts, (client) => client.countTokens(request)), Option.some(7))
    assert.deepStrictEqual(await asked(defineModel({ stream }), (client) => client.countTokens(request)), Option.none())
  })
})
