/** A subtask that waits for its turn while another process changes it. */
import { TaskHistory } from "@belay/history-store"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { TaskEngine } from "../src/index.ts"
import { check } from "./sound.ts"
import { apart, until } from "./windows.ts"
import { calls, completes, make, requestsOf, script, waitFor } from "./world.ts"
import { sub, begun, childrenOf } from "./taking.ts"

describe("a subtask that waits for its turn", () => {
  const queued = (name: string) =>
    make([
      script("root", calls(sub("part one", "n1"), sub(name, "n2")), completes("joined")),
      script("part one", { ...completes("first"), hold: "gate", holdAt: 0 }),
      script(name, completes("second"))
    ])

  it.live("and is stopped by another process stays stopped", () =>
    Effect.gen(function* () {
      const world = yield* queued("part two")
      yield* world.session(
        Effect.gen(function* () {
          const { id, old } = yield* begun(world.task("root"))
          yield* waitFor(world, () => requestsOf(world, "part one").length === 1)
          const [, second] = yield* childrenOf(id)
          yield* apart(
            world,
            Effect.flatMap(TaskHistory, (history) =>
              history.commit([
                { _tag: "Lifecycle", request: { _tag: "Interrupt", taskId: second ?? id, reason: "user" } }
              ])
            )
          )
          world.server.release("gate")
          assert.strictEqual((yield* Fiber.join(old)).record.status, "delegated")
          const row = yield* (yield* TaskHistory).row(second ?? id)
          assert.deepInclude(Option.getOrThrow(row).record, { status: "interrupted", attempt: 0 })
        }),
        { concurrency: 1 }
      )
      assert.strictEqual(requestsOf(world, "part two").length, 0)
    })
  )

  it.live("begins with the settings that it has by then", () =>
    Effect.gen(function* () {
      const world = yield* queued("part two")
      yield* world.session(
        Effect.gen(function* () {
          const { id, old } = yield* begun(world.task("root"))
          yield* waitFor(world, () => requestsOf(world, "part one").length === 1)
          const [, second = id] = yield* childrenOf(id)
          const row = Option.getOrThrow(yield* (yield* TaskHistory).row(second))
          const settings = { ...(row.meta.settings as object), actModel: "another-model" }
          yield* apart(
            world,
            Effect.flatMap(TaskHistory, (history) =>
              history.commit([{ _tag: "ConfigureAtRest", taskId: second, settings }])
            )
          )
          world.server.release("gate")
          assert.strictEqual((yield* Fiber.join(old)).record.status, "completed")
        }),
        { concurrency: 1 }
      )
      assert.strictEqual(requestsOf(world, "part two")[0].model, "another-model")
      yield* check(world.home)
    })
  )

  it.live("begins at the attempt that it has by then, with what was said to it", () =>
    Effect.gen(function* () {
      const asks = calls(["ask_followup_question", { question: "which?" }, "q"])
      const world = yield* make([
        script("root", calls(sub("part one", "n1"), sub("part two", "n2")), completes("joined")),
        script("part one", asks, { ...completes("first"), hold: "gate", holdAt: 0 }),
        script("part two", asks, completes("second"))
      ])
      yield* world.session(
        Effect.gen(function* () {
          const { engine, id, old } = yield* begun(world.task("root"))
          yield* Fiber.join(old)
          const [first = id, second = id] = yield* childrenOf(id)
          // Who goes on with the first one has the only permit, and the second waits for it.
          yield* engine.resume(first, { message: "this one" })
          const going = yield* Effect.forkChild(engine.run(first))
          yield* waitFor(world, () => requestsOf(world, "part one").length === 2)
          const queuedRun = yield* Effect.forkChild(engine.run(second))
          yield* until(() => engine.running().has(second))
          yield* apart(
            world,
            Effect.flatMap(TaskEngine, (other) => other.visit(second, { message: "said elsewhere" }))
          )
          world.server.release("gate")
          yield* Fiber.join(going)
          assert.deepInclude((yield* Fiber.join(queuedRun)).record, {
            status: "completed",
            result: "second",
            attempt: 3
          })
        }),
        { concurrency: 1 }
      )
      assert.include(JSON.stringify(requestsOf(world, "part two").at(-1)), "said elsewhere")
    })
  )
})
