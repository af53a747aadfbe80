/** Runners share the thread: none of them, and nothing else in it, waits until all others have done their part. */
import { TaskEngine } from "@belay/task-engine"
import { Tool } from "@belay/tool-executor"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Scheduler, Schema } from "effect"
import * as EventLoop from "../src/loop/EventLoop.ts"
import { calls, completes, make, run, script } from "./world.ts"

/** Takes 5 ms of its clock for each task; tells what came when, with the rounds of the event loop. */
const rounds = async (schedule: (does: (name: string, priority?: number) => void) => void): Promise<string> => {
  const seen: Array<string> = []
  let now = 0
  let left = 0
  const dispatcher = EventLoop.make(() => now).makeDispatcher()
  const done = Promise.withResolvers<void>()
  schedule((name, priority = 0) => {
    left += 1
    dispatcher.scheduleTask(() => {
      seen.push(name)
      now += 5
      left -= 1
    }, priority)
  })
  const round = (): void => {
    if (left === 0) return done.resolve()
    seen.push("|")
    setImmediate(round)
  }
  setImmediate(round)
  await done.promise
  return seen.join("")
}

describe("the fibers of all runners", () => {
  it("let the event loop go round after some ms, however many are due", async () => {
    const all = await rounds((does) => "abcdefg".split("").forEach((name) => does(name)))
    assert.strictEqual(all, "ab|cd|ef|g")
  })

  it("go on in the order in which they came, those of a lower priority first", async () => {
    const all = await rounds((does) => {
      does("a")
      does("later", 1)
      does("b")
      does("sooner", -1)
    })
    assert.strictEqual(all, "soonera|blater")
  })

  it.live("take turns of one scheduler, whoever has started them", () =>
    Effect.gen(function* () {
      const seen: Array<Scheduler.Scheduler> = []
      const look: Tool.Tool<object> = {
        name: "look",
        description: "Look",
        category: "read",
        flow: "run",
        readOnly: true,
        parameters: Schema.Struct({}),
        facts: () => Effect.succeed(Tool.noFacts),
        execute: () =>
          Effect.map(Scheduler.Scheduler, (scheduler) => {
            seen.push(scheduler)
            return Tool.output("seen")
          })
      }
      const world = yield* make([
        script("parent", calls(["new_task", { message: "child" }]), completes("x")),
        script("child", calls(["look", {}]), completes("y")),
        script("root", calls(["look", {}]), completes("z"))
      ])
      yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const parent = yield* Effect.forkChild(run(world.task("parent")))
          yield* engine.run(yield* engine.create(world.task("root")))
          yield* Fiber.join(parent)
        }),
        { tools: [look] }
      )
      assert.strictEqual(seen.length, 2)
      assert.strictEqual(seen[0], seen[1])
      assert.notInstanceOf(seen[0], Scheduler.MixedScheduler)
    })
  )
})
