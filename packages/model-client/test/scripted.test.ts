import { ModelClient } from "@belay/model-client"
import { clientOf, defineModel } from "@belay/model-client/promise"
import { ScriptedModel } from "@belay/testkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { finishedOf, request, run } from "./harness.ts"

describe("the scripted model of the testkit", () => {
  it.effect("is a model of one's own", () => {
    const model = defineModel(
      ScriptedModel.make({ tasks: [{ match: {}, answers: [{ content: [{ type: "text", text: "Hello!" }] }] }] })
    )
    return Effect.gen(function* () {
      const { message, stopReason } = finishedOf(yield* run(yield* ModelClient.ModelClient, request()))
      assert.deepStrictEqual(message, { role: "assistant", content: [{ type: "text", text: "Hello!" }] })
      assert.strictEqual(stopReason, "end_turn")
    }).pipe(Effect.provide(clientOf(model) as Layer.Layer<ModelClient.ModelClient>))
  })
})
