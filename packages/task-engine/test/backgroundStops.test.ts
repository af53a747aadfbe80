/** Subtasks in the background that stop, whose host stops, or whose parent waits for one that has stopped. */
import { TaskHistory } from "@belay/history-store"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { check } from "./sound.ts"
import { calls, completes, eventually, make, requestsOf, results, resume, says, script, waitFor } from "./world.ts"
import { behind, sub, waits, held, created, asked, told, collected } from "./behind.ts"

describe("background subtasks", () => {
  it.live("that have stopped are reported as stopped by a wait, not waited for", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "root",
          calls(behind("ask me", "n1")),
          held(waits("w"), "root"),
          calls(["list_tasks", {}, "l"]),
          says("x")
        ),
        script("ask me", calls(["ask_followup_question", { question: "which?" }, "q"]), completes("answered"))
      ])
      const { given, id } = yield* world.session(
        Effect.gen(function* () {
          const stopped = yield* eventually((event) => event.type === "task.status" && event.to === "interrupted")
          const { id, running } = yield* created(world.task("root"))
          yield* stopped
          world.server.release("root")
          yield* Fiber.join(running)
          return { id, given: yield* results(id) }
        })
      )
      const [root, child] = yield* check(world.home)
      const childId = child?.record.id ?? ""
      assert.include(given.get("w"), `[task ${childId}: stopped]`)
      assert.include(given.get("w"), "Only the user can resume or abandon it.")
      assert.include(given.get("l"), `${childId} | Needs you | ask me`)
      assert.strictEqual(root?.record.status, "interrupted")
      assert.strictEqual(root?.record.id, id)
      // Nobody but the user lets it go on.
      assert.strictEqual(child?.record.attempt, 1)
    })
  )

  it.live("stop with their parent, and are resumed with it", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(behind("part one", "n1")), waits("w"), completes("done")),
        script("part one", held(completes("first"), "one"))
      ])
      const id = yield* world.session(
        Effect.gen(function* () {
          const waiting = yield* eventually((event) => event.type === "tool.started" && event.callId === "w")
          const { engine, id, running } = yield* created(world.task("root"))
          yield* waiting
          yield* waitFor(world, () => asked(world, "part one") === 1)
          yield* engine.interrupt(id, "user")
          assert.strictEqual(engine.running().size, 0)
          yield* Fiber.join(running)
          return id
        })
      )
      const stopped = yield* check(world.home)
      assert.deepStrictEqual(
        stopped.map(({ record }) => (record.status === "interrupted" ? record.interruption : record.status)),
        [
          { reason: "user", from: "active" },
          { reason: "parent", from: "active" }
        ]
      )
      world.server.release("one")
      const given = yield* world.session(Effect.andThen(resume(id), results(id)))
      const [root, child] = yield* check(world.home)
      assert.deepInclude(root?.record, { status: "completed", result: "done" })
      assert.strictEqual(given.get("w"), `[task ${child?.record.id}: succeeded] first`)
    })
  )

  it.live("that completed are reported after their host was closed before the next request", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "root",
          calls(behind("part one", "n1")),
          held(calls(["list_files", { path: "." }, "l"]), "root"),
          completes("done")
        ),
        script("part one", completes("first"))
      ])
      const id = yield* world.session(
        Effect.gen(function* () {
          const finished = yield* eventually((event) => event.type === "task.completed")
          const { id } = yield* created(world.task("root"))
          yield* waitFor(world, () => asked(world, "root") === 2)
          yield* finished
          return id
        })
      )
      const [stopped] = yield* check(world.home)
      assert.deepInclude(stopped?.record, { status: "interrupted" })
      world.server.release("root")
      const messages = yield* world.session(Effect.andThen(resume(id), told(id)))
      const [root, child] = yield* check(world.home)
      assert.deepInclude(root?.record, { status: "completed", result: "done" })
      assert.deepStrictEqual(messages, [`[task ${child?.record.id}: succeeded] first`])
      assert.deepStrictEqual(collected(root), [["first", "succeeded", "message"]])
    })
  )

  it.live("count for the limits of their tree: one that reaches it stops the whole tree", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(behind("part one", "n1")), waits("w"), completes("done")),
        script("part one", held(calls(["list_files", { path: "." }]), "one"), completes("first"))
      ])
      yield* world.session(
        Effect.gen(function* () {
          const waiting = yield* eventually((event) => event.type === "tool.started" && event.callId === "w")
          const { running } = yield* created(world.task("root", {}, { maxRequests: 3 }))
          yield* waiting
          world.server.release("one")
          yield* Fiber.join(running)
        })
      )
      assert.strictEqual(world.server.requests.length, 3)
      const tasks = yield* check(world.home)
      assert.deepStrictEqual(
        tasks.map(({ record }) => (record.status === "interrupted" ? record.interruption.reason : record.status)),
        ["budget", "budget"]
      )
      assert.deepStrictEqual(
        tasks.map(({ openAsks }) => openAsks),
        [1, 0]
      )
    })
  )

  it.live("report as soon as they complete while their parent waits for a subtask that has stopped", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(behind("part one", "n1"), sub("ask me", "n2")), completes("done")),
        script("part one", held(completes("first"), "one")),
        script("ask me", calls(["ask_followup_question", { question: "which?" }, "q"]), completes("answered"))
      ])
      yield* world.session(
        Effect.gen(function* () {
          const stopped = yield* eventually((event) => event.type === "task.status" && event.to === "interrupted")
          const { running } = yield* created(world.task("root"))
          yield* stopped
          world.server.release("one")
          yield* Fiber.join(running)
        })
      )
      const [root, , child] = yield* check(world.home)
      assert.strictEqual(root?.record.status, "delegated")
      assert.deepStrictEqual(collected(root), [["first", "succeeded", "message"]])
      if (child === undefined) return assert.fail("no subtask")
      yield* world.session(resume(child.record.id, { message: "this one" }))
      const [done] = yield* check(world.home)
      assert.deepInclude(done?.record, { status: "completed", result: "done" })
      const last = JSON.stringify(requestsOf(world, "root").at(-1).messages.at(-1))
      assert.include(last, "answered")
      assert.include(last, "succeeded] first")
    })
  )

  it.live("do not hold their parent back when the subtask that had stopped goes on and completes", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(behind("part one", "n1"), sub("ask me", "n2")), waits("w"), completes("done")),
        script("part one", held(completes("first"), "one")),
        script("ask me", calls(["ask_followup_question", { question: "which?" }, "q"]), completes("answered"))
      ])
      yield* world.session(
        Effect.gen(function* () {
          const stopped = yield* eventually((event) => event.type === "task.status" && event.to === "interrupted")
          const waiting = yield* eventually((event) => event.type === "tool.started" && event.callId === "w")
          const { id, running } = yield* created(world.task("root"))
          yield* stopped
          const children = yield* (yield* TaskHistory).children(id)
          const child = children.find(({ meta }) => meta.title === "ask me")
          if (child === undefined) return assert.fail("no subtask")
          yield* resume(child.record.id, { message: "this one" })
          // The other one still runs.
          yield* waiting
          world.server.release("one")
          assert.deepInclude((yield* Fiber.join(running)).record, { status: "completed", result: "done" })
        })
      )
      yield* check(world.home)
    })
  )
})
