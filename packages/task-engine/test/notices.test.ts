import { assert, describe, it } from "@effect/vitest"
import { Tool } from "@belay/tool-executor"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { calls, completes, make, requestsOf, resume, run, script, unmarked } from "./world.ts"

describe("what tools have to tell", () => {
  it.live("is told once, again when it changes, also after a restart, and the requests stay continuations", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "tell",
          calls(["change", {}]),
          calls(["list_files", { path: "." }]),
          calls(["ask_followup_question", { question: "Go on?" }]),
          completes("x")
        )
      ])
      let now = "first"
      const told: Array<ReadonlyArray<string>> = []
      const notices = (workspace: string, said: ReadonlyArray<string>) =>
        Effect.sync(() => {
          assert.strictEqual(workspace, world.workspace)
          told.push(said)
          return said.at(-1) === now ? [] : [now]
        })
      const change: Tool.Tool = {
        name: "change",
        description: "Change",
        category: "read",
        flow: "run",
        readOnly: false,
        parameters: Schema.Struct({}) as Schema.Codec<any, any>,
        facts: () => Effect.succeed(Tool.noFacts),
        execute: () =>
          Effect.sync(() => {
            now = "second"
            return Tool.output("ok")
          })
      }
      const options = { notices, tools: [change] }
      const { id } = yield* world.session(run(world.task("tell")), options)
      yield* world.session(resume(id, { message: "yes" }), options)
      assert.deepStrictEqual(told, [[], ["first"], ["first", "second"], ["first", "second"]])
      const bodies = requestsOf(world, "tell")
      const texts = bodies.map((body) => JSON.stringify(body.messages).match(/<notice>.*?<\/notice>/g) ?? [])
      const first = String.raw`<notice>\nfirst\n</notice>`
      const second = String.raw`<notice>\nsecond\n</notice>`
      assert.deepStrictEqual(texts, [[first], [first, second], [first, second], [first, second]])
      const bare = bodies.map((body) => unmarked([body.tools, body.messages]))
      for (const [index, text] of bare.slice(1).entries()) {
        // Each begins with the whole of the one before, up to the brackets that close its last message.
        assert.strictEqual(text.slice(0, (bare[index]?.length ?? 0) - 4), bare[index]?.slice(0, -4))
      }
    })
  )
})
