/** Tasks at services that speak the Messages API in ways of their own. */
import { TaskHistory } from "@belay/history-store"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TaskEvents } from "../src/index.ts"
import { calls, completes, make, price, requestsOf, results, run, script, unmarked } from "./world.ts"

const sub = (message: string, id: string) => ["new_task", { message }, id] as const

describe("a task", () => {
  it.live("works, delegates and is charged in the ways of every service, also where nothing is counted", () =>
    Effect.gen(function* () {
      for (const dialect of ["ollama", "openrouter", "llama.cpp", "deepseek", "litellm"] as const) {
        const world = yield* make(
          [
            script(
              "root",
              calls(["write_to_file", { path: "a.txt", content: "one" }, "w"], ["list_files", { path: "." }, "l"]),
              calls(sub("part one", "s")),
              completes("done")
            ),
            script("part one", completes("1"))
          ],
          { dialect }
        )
        const models = { "test-model": { inputLimit: 200_000, price } }
        yield* world.session(
          Effect.gen(function* () {
            const { id, record } = yield* run(world.task("root", {}, { models }))
            assert.deepInclude(record, { status: "completed", result: "done" }, dialect)
            assert.include((yield* results(id)).get("l"), "a.txt")
            const { costUsd, inputTokens, outputTokens } = yield* (yield* TaskHistory).treeUsage(id)
            // Where the service counts nothing it is reckoned.
            assert.isAbove(costUsd ?? 0, 0, dialect)
            assert.isAtLeast(inputTokens, dialect === "litellm" ? 4000 : 400, dialect)
            assert.isAbove(outputTokens, 0, dialect)
          })
        )
        assert.strictEqual(world.read("a.txt"), "one")
      }
    })
  )
})

describe("an answer of another model than the one that was asked", () => {
  it.live("is said once, and none that has the same name in a form of the service's own", () =>
    Effect.gen(function* () {
      const said = (dialect: "deepseek" | "ollama") =>
        Effect.gen(function* () {
          const world = yield* make([script("look", calls(["list_files", { path: "." }]), completes("done"))], {
            dialect
          })
          const texts: Array<string> = []
          yield* world.session(
            Effect.gen(function* () {
              const events = yield* TaskEvents
              yield* events.listen((event) => {
                if (event.type === "progress") texts.push(event.text)
              })
              yield* run(world.task("look"))
            })
          )
          return texts
        })
      const [text, ...more] = yield* said("deepseek")
      assert.match(text ?? "", /^another-model answered in the place of test-model \(127\.0\.0\.1:\d+\)\.$/)
      assert.deepStrictEqual(more, [])
      assert.deepStrictEqual(yield* said("ollama"), [])
    })
  )
})

describe("an image", () => {
  it.live("is words for a model that takes none, from the first request to the last", () =>
    Effect.gen(function* () {
      const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "aaaa" } } as const
      const sent = (images: boolean) =>
        Effect.gen(function* () {
          const world = yield* make([script("look", calls(["list_files", { path: "." }]), completes("done"))])
          const models = { "test-m*": { images } }
          const task = world.task("look", { attached: [image] }, { models })
          yield* world.session(run(task))
          return requestsOf(world, "look")
        })
      assert.include(JSON.stringify(yield* sent(true)), "aaaa")
      const [first, second] = yield* sent(false)
      assert.notInclude(JSON.stringify([first, second]), "aaaa")
      assert.include(JSON.stringify(first), "This model takes no images.")
      const before = unmarked(first.messages[0].content)
      assert.strictEqual(unmarked(second.messages[0].content), before)
    })
  )
})
