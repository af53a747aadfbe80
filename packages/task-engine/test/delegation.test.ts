import { TaskHistory } from "@belay/history-store"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TaskEngine } from "../src/index.ts"
import { check } from "./sound.ts"
import {
  calls,
  completes,
  eventually,
  make,
  recorded,
  requestsOf,
  results,
  resultsOf,
  resume,
  run,
  script,
  waitFor
} from "./world.ts"

const sub = (message: string, id: string) => ["new_task", { message }, id] as const

describe("subtasks", () => {
  it.live("report by call id and in call order, whatever finishes first", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(sub("part one", "n1"), sub("part two", "n2")), completes("joined")),
        script("part one", { ...completes("first"), hold: "one", holdAt: 0 }),
        script("part two", completes("second"))
      ])
      const { id, messages, order } = yield* world.session(
        Effect.gen(function* () {
          const events = yield* recorded
          const collected = yield* eventually((event) => event.type === "delegation.collected")
          const engine = yield* TaskEngine
          const id = yield* engine.create(world.task("root"))
          const running = yield* Effect.forkChild(engine.run(id))
          yield* collected
          world.server.release("one")
          yield* Fiber.join(running)
          const messages = yield* (yield* TaskHistory).messages(id)
          const order = events.flatMap((event) => (event.type === "delegation.collected" ? [event.callId] : []))
          return { id, messages, order }
        })
      )
      assert.deepStrictEqual(order, ["n2", "n1"])
      assert.deepStrictEqual(resultsOf(messages[2]), [
        ["n1", "first"],
        ["n2", "second"]
      ])
      const tasks = yield* check(world.home)
      assert.deepStrictEqual(
        tasks.map(({ meta, record }) => [meta.title, record.status]),
        [
          ["root", "completed"],
          ["part one", "completed"],
          ["part two", "completed"]
        ]
      )
      assert.strictEqual(tasks[0]?.record.id, id)
    })
  )

  it.live("call the model no more at once than the limit says", () =>
    Effect.gen(function* () {
      const parts = ["p1", "p2", "p3", "p4"]
      const world = yield* make([
        script("root", calls(...parts.map((part) => sub(`do ${part}`, part))), completes("joined")),
        ...parts.map((part) => script(`do ${part}`, { ...completes(part), hold: part, holdAt: 0 }))
      ])
      const asked = () => parts.filter((part) => requestsOf(world, `do ${part}`).length > 0)
      const seen: Array<number> = []
      yield* world.session(
        Effect.gen(function* () {
          const running = yield* Effect.forkChild(run(world.task("root")))
          const released = new Set<string>()
          for (const count of [2, 3, 4, 4]) {
            yield* waitFor(world, () => asked().length >= count)
            seen.push(asked().length - released.size)
            const next = asked().find((part) => !released.has(part)) ?? ""
            released.add(next)
            world.server.release(next)
          }
          for (const part of parts) world.server.release(part)
          yield* Fiber.join(running)
        }),
        { concurrency: 2 }
      )
      assert.deepStrictEqual(seen.slice(0, 3), [2, 2, 2])
      yield* check(world.home)
    })
  )

  it.live("of subtasks finish with a single permit: a waiting parent holds none", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("level 0", calls(sub("level 1 a", "a"), sub("level 1 b", "b")), completes("0")),
        script("level 1 a", calls(sub("level 2 a", "aa")), completes("1a")),
        script("level 1 b", calls(sub("level 2 b", "bb")), completes("1b")),
        script("level 2 a", completes("2a")),
        script("level 2 b", completes("2b"))
      ])
      const { record } = yield* world.session(run(world.task("level 0")), { concurrency: 1 })
      assert.deepInclude(record, { status: "completed", result: "0" })
      assert.strictEqual((yield* check(world.home)).length, 5)
    })
  )

  it.live("that are nested too deep or are too many are refused, and the task goes on", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("deep", calls(sub("below", "n")), completes("x")),
        script("wide", calls(sub("one", "n1"), sub("two", "n2")), completes("x"))
      ])
      const deep = yield* world.session(
        Effect.flatMap(run(world.task("deep", {}, { depth: 0 })), ({ id }) => results(id))
      )
      const wide = yield* world.session(
        Effect.flatMap(run(world.task("wide", {}, { fanOut: 1 })), ({ id }) => results(id))
      )
      assert.include(deep.get("n"), "nested 0 deep")
      assert.include(wide.get("n1"), "at most 1")
      assert.include(wide.get("n2"), "at most 1")
      assert.strictEqual((yield* check(world.home)).length, 2)
    })
  )

  it.live("that stopped keep their parent waiting, and a resume of the parent goes on with them", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(sub("ask me", "n1"), sub("part two", "n2")), completes("joined")),
        script("ask me", calls(["ask_followup_question", { question: "which?" }, "q"]), completes("answered")),
        script("part two", completes("second"))
      ])
      const first = yield* world.session(run(world.task("root")))
      assert.strictEqual(first.record.status, "delegated")
      const [, asking] = yield* check(world.home)
      if (asking === undefined) return assert.fail("no subtask")
      assert.deepInclude(asking.record, { status: "interrupted" })
      // Answered alone: its parent is gone on with when it reports.
      const child = yield* world.session(resume(asking.record.id, { message: "this one" }))
      assert.deepInclude(child.record, { status: "completed", result: "answered" })
      const tasks = yield* check(world.home)
      assert.deepInclude(tasks[0]?.record, { status: "completed", result: "joined" })
      const given = yield* world.session(results(first.id))
      assert.deepStrictEqual([...given.entries()].slice(0, 2), [
        ["n1", "answered"],
        ["n2", "second"]
      ])
    })
  )

  it.live("that report while their parent waits in the same process let it go on", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(sub("ask me", "n1")), completes("joined")),
        script("ask me", calls(["ask_followup_question", { question: "which?" }, "q"]), completes("answered"))
      ])
      yield* world.session(
        Effect.gen(function* () {
          const history = yield* TaskHistory
          const { id } = yield* run(world.task("root"))
          const [child] = yield* history.children(id)
          if (child === undefined) return assert.fail("no subtask")
          yield* resume(child.record.id, { message: "this" })
        })
      )
      const [root] = yield* check(world.home)
      assert.deepInclude(root?.record, { status: "completed", result: "joined" })
    })
  )

  it.live("that die of a defect are stopped alone: siblings report, and their parent waits for them", () =>
    Effect.gen(function* () {
      const list = calls(["list_files", { path: "." }, "l"])
      const world = yield* make([
        script("root", calls(sub("breaks", "n1"), sub("part two", "n2")), completes("joined")),
        script("breaks", list, completes("mended")),
        script("part two", { ...completes("second"), hold: "two", holdAt: 0 })
      ])
      const { children, errors, id, record } = yield* world.session(
        Effect.gen(function* () {
          const history = yield* TaskHistory
          const events = yield* recorded
          const stopped = yield* eventually((event) => event.type === "task.status" && event.to === "interrupted")
          const running = yield* Effect.forkChild(run(world.task("root")))
          yield* stopped
          world.server.release("two")
          const ended = yield* Fiber.join(running)
          const errors = events.flatMap((event) => (event.type === "error" ? [[event.tag, event.message]] : []))
          return { ...ended, errors, children: yield* history.children(ended.id) }
        }),
        {
          failpoints: (name) => {
            if (name === "tool.run.before") throw new Error("a defect")
          }
        }
      )
      assert.deepStrictEqual(
        children.map(({ lease, meta, record }) => [
          meta.title,
          record.status === "interrupted" ? record.interruption : record.status,
          lease
        ]),
        [
          ["breaks", { reason: "crash", from: "active" }, null],
          ["part two", "completed", null]
        ]
      )
      assert.strictEqual(record.status, "delegated")
      assert.deepStrictEqual(errors, [["Defect", "a defect"]])
      // Nothing was said about the one that broke.
      assert.deepStrictEqual([...(yield* world.session(results(id))).keys()], [])
      const next = yield* world.session(resume(id))
      assert.deepInclude(next.record, { status: "completed", result: "joined" })
      assert.deepStrictEqual([...(yield* world.session(results(id)))].slice(0, 2), [
        ["n1", "mended"],
        ["n2", "second"]
      ])
      yield* check(world.home)
    })
  )

  it.live("follow the limits and approvals that their resumed parent is given", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(sub("part", "n")), completes("joined")),
        script("part", calls(["execute_command", { command: "echo x > made" }, "c"]), completes("p"))
      ])
      const first = yield* world.session(run(world.task("root", {}, { maxRequests: 1 })))
      assert.deepInclude(first.record, { status: "interrupted" })
      const next = yield* world.session(
        resume(first.id, { settings: (snapshot) => ({ ...snapshot, maxRequests: 10 }) })
      )
      assert.deepInclude(next.record, { status: "completed", result: "joined" })
      assert.isTrue(world.exists("made"))
      yield* check(world.home)
    })
  )
})

describe("a limit of the tree", () => {
  it.live("stops every task of it; the ask belongs to the root, and nothing more is sent", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(sub("loops", "n1"), sub("held", "n2")), completes("joined")),
        script("loops", calls(["list_files", { path: "." }]), completes("1")),
        script("held", { ...completes("2"), hold: "gate", holdAt: 0 })
      ])
      const { record } = yield* world.session(run(world.task("root", {}, { maxRequests: 3 })))
      assert.deepInclude(record, { status: "interrupted", interruption: { reason: "budget", from: "delegated" } })
      const asks = yield* world.session(
        Effect.gen(function* () {
          const history = yield* TaskHistory
          const below = yield* history.children(record.id)
          const all = yield* Effect.forEach([record.id, ...below.map((row) => row.record.id)], history.asks)
          return all.map((list) => list.map(({ kind, open, payload }) => [kind, open, payload.question]))
        })
      )
      assert.deepStrictEqual(asks, [[["budget", true, asks[0]?.[0]?.[2]]], [], []])
      assert.include(asks[0]?.[0]?.[2], "of 3 requests used")
      assert.strictEqual(world.server.requests.length, 3)
      const tasks = yield* check(world.home)
      assert.deepStrictEqual(
        tasks.map((row) => row.record.status),
        ["interrupted", "interrupted", "interrupted"]
      )
      world.server.release("gate")
      const next = yield* world.session(
        resume(record.id, { settings: (snapshot) => ({ ...snapshot, maxRequests: 10 }) })
      )
      assert.deepInclude(next.record, { status: "completed", result: "joined" })
      yield* check(world.home)
    })
  )

  it.live("in money stops before the first call that finds it reached", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("costly", { ...calls(["list_files", { path: "." }]), usage: { output_tokens: 100_000 } }, completes("x"))
      ])
      const { record } = yield* world.session(run(world.task("costly", {}, { maxCostUsd: 0.5 })))
      assert.deepInclude(record, { status: "interrupted", interruption: { reason: "budget", from: "active" } })
      assert.strictEqual(world.server.requests.length, 1)
    })
  )
})
