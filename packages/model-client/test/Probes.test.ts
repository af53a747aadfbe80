import { ModelClient } from "@belay/model-client"
import * as Probes from "@belay/model-client/probes"
import { TaskId } from "@belay/task-state"
import { type Scenario, ScriptedServer } from "@belay/testkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { layer } from "./harness.ts"

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] })
const looks = (...places: ReadonlyArray<string>) => ({
  content: places.map((place) => ({ type: "tool_use" as const, name: "look", input: { place } }))
})

/** What a model answers to each probe. */
const able = {
  "Say the word ready": text("ready"),
  "Call look with the place a.": looks("a"),
  "Call look twice": looks("a", "b"),
  "There is no a.": text("There is none."),
  "Which colour": text("Red.")
}

const asked = (scenario: Partial<Scenario.Scenario>, answers: object = {}) =>
  Effect.gen(function* () {
    const all = Object.entries({ ...able, ...answers }).map(([on, answer]) => ({ ...answer, on }))
    const server = yield* ScriptedServer.start({ tasks: [{ match: {}, shared: true, answers: all }], ...scenario })
    const told: Array<string> = []
    const client = yield* Effect.provide(Effect.service(ModelClient.ModelClient), layer(server.url, { maxRetries: 0 }))
    const options = { client, model: "m", mode: "act", taskId: TaskId.TaskId.make("probe") } as const
    const found = yield* Probes.run(options, ({ probe }) => Effect.sync(() => void told.push(probe)))
    assert.deepStrictEqual(told, [...Probes.names])
    return found
  })

const failing = (found: ReadonlyArray<Probes.Found>) =>
  found.flatMap(({ probe, why, works }) => (works ? [] : [`${probe}: ${why}`]))

describe("the probes", () => {
  it.effect("all work with a model that does what is asked, at a service that counts", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(failing(yield* asked({})), [])
    })
  )

  it.effect("work the same in the ways of other services, but for those that cannot count", () =>
    Effect.gen(function* () {
      for (const dialect of ["ollama", "openrouter", "llama.cpp", "deepseek", "litellm"] as const) {
        const found = failing(yield* asked({ dialect }))
        const expected = dialect === "llama.cpp" ? [] : ["count: the service cannot count; it is reckoned instead"]
        assert.deepStrictEqual(found, expected, dialect)
      }
    })
  )

  it.effect("say in one line what came instead", () =>
    Effect.gen(function* () {
      const found = yield* asked(
        {},
        {
          "Say the word ready": text(" "),
          "Call look with the place a.": text("I would look."),
          "Call look twice": looks("a"),
          "Which colour": { error: { status: 400, message: "images are not supported" } }
        }
      )
      const [stream, tool, parallel, image] = failing(found)
      assert.deepStrictEqual(
        [stream, tool, parallel],
        [
          "stream: its answer had no text",
          "tool: it made 0 calls, none of the tool look with the place a",
          "parallel: it made 1 call in one answer"
        ]
      )
      assert.match(image ?? "", /^image: the service refused the request \(400, .*images are not supported/)
    })
  )

  it.effect("fail where nothing can be found out", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(asked({ apiKey: "another" }))
      assert.strictEqual(error._tag === "ModelError" && error.reason._tag, "Unauthorized")
    })
  )
})
