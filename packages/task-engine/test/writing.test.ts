import { Tool } from "@belay/tool-executor"
import { PathLocks } from "@belay/tool-executor/workspace"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as path from "node:path"
import { calls, completes, eventually, make, run, script } from "./world.ts"

describe("an edit", () => {
  it.live("waits for another task that is writing the file, and says for which one", () =>
    Effect.gen(function* () {
      const gate = Promise.withResolvers<void>()
      const slow: Tool.Tool = {
        name: "write_slowly",
        description: "Has a file for a while",
        category: "read",
        flow: "run",
        readOnly: true,
        parameters: Schema.Struct({}),
        facts: () => Effect.succeed(Tool.noFacts),
        execute: (_, context) =>
          PathLocks.withPath(
            path.join(context.workspace, "parse.ts"),
            PathLocks.userOf(context)
          )(Effect.promise(() => gate.promise)).pipe(Effect.as(Tool.output("")))
      }
      const world = yield* make([
        script("Fix flaky test", calls(["write_slowly", {}, "s"]), completes("fixed")),
        script("parser", calls(["write_to_file", { path: "parse.ts", content: "new" }, "w"]), completes("parsed"))
      ])
      const said = yield* world.session(
        Effect.gen(function* () {
          const has = yield* eventually((event) => event.type === "tool.started" && event.callId === "s")
          const waits = yield* eventually((event) => event.type === "progress")
          const first = yield* Effect.forkChild(run(world.task("Fix flaky test")))
          yield* has
          const second = yield* Effect.forkChild(run(world.task("parser")))
          const event = yield* waits
          assert.isFalse(world.exists("parse.ts"))
          gate.resolve()
          yield* Effect.andThen(Fiber.join(first), Fiber.join(second))
          return event
        }),
        { tools: [slow] }
      )
      assert.deepInclude(said, { text: 'Waiting for "Fix flaky test", which is writing parse.ts.' })
      assert.strictEqual(world.read("parse.ts"), "new")
    })
  )
})
