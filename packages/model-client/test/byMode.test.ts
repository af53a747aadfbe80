import { ModelClient, type ModelEvent, type ModelRequest } from "@belay/model-client"
import { TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

const request = (mode?: "plan" | "act"): ModelRequest.ModelRequest => ({
  taskId: TaskId.TaskId.make("t"),
  model: "m-1",
  ...(mode === undefined ? {} : { mode }),
  system: [],
  tools: [],
  messages: [],
  maxTokens: 1
})

/** A service that answers with its name as the model's. */
const service = (name: string, tokens: number): ModelClient.ModelClient["Service"] => ({
  stream: () =>
    Stream.succeed<ModelEvent.ModelEvent>({
      _tag: "Finished",
      message: { role: "assistant", content: [] },
      stopReason: "end_turn",
      spoiled: [],
      usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
      model: name
    }),
  ready: () => Effect.void,
  service: () => name,
  countTokens: () => Effect.succeed(Option.some(tokens))
})

describe("the services of the modes", () => {
  it.effect("each get what is asked in their mode, and what says no mode goes to act", () =>
    Effect.gen(function* () {
      const client = ModelClient.byMode({ plan: service("planner", 1), act: service("actor", 2) })
      const answered: Array<unknown> = []
      for (const mode of ["plan", "act", undefined] as const) {
        const [event] = yield* Stream.runCollect(client.stream(request(mode)))
        answered.push([event?._tag === "Finished" && event.model, yield* client.countTokens(request(mode))])
      }
      assert.deepStrictEqual(answered, [
        ["planner", Option.some(1)],
        ["actor", Option.some(2)],
        ["actor", Option.some(2)]
      ])
    })
  )

  it.effect("without a key fail when they are used, with what the key is for and what to do", () =>
    Effect.gen(function* () {
      const keyless = ModelClient.keyless("h:1", "plan mode (h:1)", 'Run "belay auth --mode plan".')
      const client = ModelClient.byMode({ plan: keyless, act: service("actor", 2) })
      const error = yield* Effect.flip(Stream.runDrain(client.stream(request("plan"))))
      assert.strictEqual(error.message, 'there is no key for plan mode (h:1). Run "belay auth --mode plan".')
      yield* Stream.runDrain(client.stream(request("act")))
    })
  )
})
