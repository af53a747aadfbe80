/** A task that is resumed while this process runs it: somebody pressed twice, or two of its views did. */
import { Approvals } from "@belay/approval-policy"
import { TaskHistory } from "@belay/history-store"
import type { TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TaskEngine } from "../src/index.ts"
import { check } from "./sound.ts"
import { someone } from "./someone.ts"
import { calls, completes, eventually, make, requestsOf, says, script } from "./world.ts"

const writes = calls(["write_to_file", { path: "one.txt", content: "1" }, "w"])

const askOf = (id: TaskId.TaskId) =>
  Effect.map(
    Effect.flatMap(TaskHistory, ({ asks }) => asks(id)),
    (asks) => asks.findLast(({ open }) => open)?.askId ?? ""
  )

describe("a task that runs here and is resumed", () => {
  it.live("asks on what it asks, and goes on with the answer", () =>
    Effect.gen(function* () {
      const world = yield* make([script("write", writes, completes("done"))])
      yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const asks = yield* eventually(({ type }) => type === "ask")
          const id = yield* engine.create(world.task("write", {}, { approvals: Approvals.ask }))
          const running = yield* Effect.forkChild(engine.run(id), { startImmediately: true })
          yield* asks
          const before = yield* askOf(id)
          yield* engine.resume(id, {})
          const again = yield* Effect.forkChild(engine.run(id), { startImmediately: true })
          assert.strictEqual(yield* askOf(id), before)
          yield* engine.answer(id, before, { decision: "allow" })
          assert.strictEqual((yield* Fiber.join(running)).record.status, "completed")
          assert.strictEqual((yield* Fiber.join(again)).record.status, "completed")
        }),
        { person: someone({}).layer }
      )
      assert.strictEqual(world.read("one.txt"), "1")
      yield* check(world.home)
    })
  )

  it.live("hears what is said with it, once, whatever it waits for", () =>
    Effect.gen(function* () {
      const question = calls(["ask_followup_question", { question: "Which one?" }, "q"])
      const world = yield* make([script("ask", question, says("And now?"), completes("done"))])
      yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const asked = yield* eventually(({ type }) => type === "ask")
          const id = yield* engine.create(world.task("ask"))
          const running = yield* Effect.forkChild(engine.run(id), { startImmediately: true })
          yield* asked
          const waits = yield* eventually(({ type }) => type === "ask")
          yield* engine.resume(id, { message: "The first" })
          yield* waits
          yield* engine.resume(id, { message: "Go on" })
          assert.strictEqual((yield* Fiber.join(running)).record.status, "completed")
        }),
        { person: someone({}).layer }
      )
      const sent = requestsOf(world, "ask").map(({ messages }) => JSON.stringify(messages))
      for (const said of ["The first", "Go on"]) assert.strictEqual(sent.at(-1)?.split(said).length, 2)
      yield* check(world.home)
    })
  )
})
