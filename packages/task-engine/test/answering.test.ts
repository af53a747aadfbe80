/** What people see of a request to the model while it is under way. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TaskEngine, TaskEvents } from "../src/index.ts"
import { calls, completes, eventually, make, requestsOf, resume, run, script } from "./world.ts"

/** The states of all requests of a session, in their order. */
const states = Effect.gen(function* () {
  const seen: Array<string> = []
  yield* (yield* TaskEvents).listen((event) => {
    if (event.type === "answer") seen.push(event.state)
  })
  return seen
})

const said = (text: string) => ({ content: [{ type: "text" as const, text }] })

describe("a request to the model", () => {
  it.live("is waited for, then answered, then complete: once each, for every request", () =>
    Effect.gen(function* () {
      const world = yield* make([script("two turns", calls(["list_files", { path: "." }]), completes("done"))])
      const seen = yield* world.session(
        Effect.gen(function* () {
          const all = yield* states
          yield* run(world.task("two turns"))
          return all
        })
      )
      assert.isAbove(seen.length, 3)
      assert.deepStrictEqual(
        seen,
        Array.from({ length: seen.length / 3 }, () => ["waiting", "streaming", "complete"]).flat()
      )
      assert.strictEqual(seen.length / 3, requestsOf(world, "two turns").length)
    })
  )

  it.live("is waited for as long as the model is silent; stopped then, it is aborted and leaves nothing behind", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("silent", { ...said("never heard"), hold: "gate", holdAt: 0 }, completes("whole"))
      ])
      const id = yield* world.session(
        Effect.gen(function* () {
          const all = yield* states
          const engine = yield* TaskEngine
          const asked = yield* eventually((event) => event.type === "answer" && event.state === "waiting")
          const id = yield* engine.create(world.task("silent"))
          const running = yield* Effect.forkChild(engine.run(id), { startImmediately: true })
          yield* asked
          yield* Effect.promise(() => world.server.waitForRequests((requests) => requests.length > 0))
          yield* engine.interrupt(id, "user")
          yield* Fiber.join(running)
          assert.deepStrictEqual(all, ["waiting", "aborted"])
          return id
        })
      )
      world.server.release("gate")
      yield* world.session(resume(id))
      assert.notInclude(JSON.stringify(requestsOf(world, "silent").at(-1).messages), "interrupted here")
    })
  )

  it.live("is waited for anew when the transport tries again, and what had arrived is void", () =>
    Effect.gen(function* () {
      const failing = { ...completes("done"), error: { status: 529 }, times: 1 }
      const world = yield* make([script("busy", failing)])
      const seen = yield* world.session(
        Effect.gen(function* () {
          const all = yield* states
          const { record } = yield* run(world.task("busy"))
          assert.strictEqual(record.status, "completed")
          return all
        }),
        { maxRetries: 1 }
      )
      assert.deepStrictEqual(seen, ["waiting", "aborted", "waiting", "streaming", "complete"])
    })
  )
})
