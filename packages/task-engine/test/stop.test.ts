import { Inbox, TaskHistory } from "@belay/history-store"
import { Tool } from "@belay/tool-executor"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { layerSqlite } from "./history.ts"
import { TaskEngine } from "../src/index.ts"
import { check } from "./sound.ts"
import { calls, completes, eventually, make, requestsOf, results, resume, run, script, waitFor } from "./world.ts"
import { sub, created, statuses } from "./stopping.ts"

/** A process that runs; one that has ended and that nobody has collected yet does not. */
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return process.platform !== "linux" || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"))
  } catch {
    return false
  }
}

describe("a stop", () => {
  it.live("of a parent reaches every descendant, and no further request is sent", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("level 0", calls(sub("level 1 a", "a"), sub("level 1 b", "b")), completes("0")),
        script("level 1 a", calls(sub("level 2", "c")), completes("1a")),
        script("level 1 b", { ...completes("1b"), hold: "gate", holdAt: 0 }),
        script("level 2", { ...completes("2"), hold: "gate", holdAt: 0 })
      ])
      const id = yield* world.session(
        Effect.gen(function* () {
          const { engine, id, running } = yield* created(world.task("level 0"))
          yield* waitFor(world, () => requestsOf(world, "level 2").length + requestsOf(world, "level 1 b").length === 2)
          yield* engine.interrupt(id, "user")
          assert.strictEqual(engine.running().size, 0)
          yield* Fiber.join(running)
          return id
        })
      )
      const count = world.server.requests.length
      assert.deepStrictEqual(statuses(yield* check(world.home)), [
        ["level 0", "user from delegated"],
        ["level 1 a", "parent from delegated"],
        ["level 2", "parent from active"],
        ["level 1 b", "parent from active"]
      ])
      assert.strictEqual(count, 4)
      world.server.release("gate")
      const { record } = yield* world.session(resume(id))
      assert.deepInclude(record, { status: "completed", result: "0" })
      yield* check(world.home)
    })
  )

  it.live("reaches three levels below at once, also a retry that waits, and no further request is sent", () =>
    Effect.gen(function* () {
      const failing = { status: 529, retryAfterMs: 30_000 }
      const world = yield* make([
        script("level 0", calls(sub("level 1", "a")), completes("0")),
        script("level 1", calls(sub("level 2", "b"), sub("level 2 beside", "c")), completes("1")),
        script("level 2", calls(sub("level 3", "d")), completes("2")),
        script("level 2 beside", { ...completes("2b"), hold: "gate", holdAt: 0 }),
        script("level 3", { ...completes("3"), error: failing, times: 1 })
      ])
      const id = yield* world.session(
        Effect.gen(function* () {
          const retrying = yield* eventually((event) => event.type === "progress")
          const { engine, id, running } = yield* created(world.task("level 0"))
          yield* Effect.andThen(
            retrying,
            waitFor(world, () => requestsOf(world, "level 2 beside").length === 1)
          )
          const sent = world.server.requests.length
          yield* engine.interrupt(id, "user")
          assert.strictEqual(engine.running().size, 0)
          yield* Fiber.join(running)
          assert.deepStrictEqual([sent, world.server.requests.length], [5, 5])
          return id
        }),
        { maxRetries: 4 }
      )
      assert.deepStrictEqual(statuses(yield* check(world.home)), [
        ["level 0", "user from delegated"],
        ["level 1", "parent from delegated"],
        ["level 2", "parent from delegated"],
        ["level 3", "parent from active"],
        ["level 2 beside", "parent from active"]
      ])
      world.server.release("gate")
      const { record } = yield* world.session(resume(id))
      assert.deepInclude(record, { status: "completed", result: "0" })
      yield* check(world.home)
    })
  )

  it.live("keeps what is below from asking the model from the moment it is given, before it comes down", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(["new_task", { message: "below", background: true }, "n"]), calls(["stubborn", {}, "s"])),
        script("below", { ...calls(["list_files", { path: "." }, "l"]), hold: "gate", holdAt: 0 }, completes("1")),
        ...["other 1", "other 2", "other 3"].map((other) => script(other, completes("2")))
      ])
      const gate = Promise.withResolvers<void>()
      const stubborn: Tool.Tool = {
        name: "stubborn",
        description: "Cannot be ended.",
        category: "read",
        flow: "run",
        readOnly: true,
        parameters: Schema.Struct({}),
        facts: () => Effect.succeed(Tool.noFacts),
        execute: () => Effect.as(Effect.uninterruptible(Effect.promise(() => gate.promise)), Tool.output(""))
      }
      yield* world.session(
        Effect.gen(function* () {
          const started = yield* eventually((event) => event.type === "tool.started" && event.callId === "s")
          const { engine, id, running } = yield* created(world.task("root"))
          yield* Effect.andThen(
            started,
            waitFor(world, () => requestsOf(world, "below").length === 1)
          )
          const stop = yield* Effect.forkChild(engine.interrupt(id, "user"), { startImmediately: true })
          world.server.release("gate")
          // Time enough for another task to run to its end, several times.
          for (const other of ["other 1", "other 2", "other 3"]) yield* run(world.task(other))
          const sent = requestsOf(world, "below").length
          gate.resolve()
          yield* Effect.andThen(Fiber.join(stop), Fiber.join(running))
          assert.strictEqual(sent, 1)
        }),
        { tools: [stubborn] }
      )
      assert.strictEqual(requestsOf(world, "below").length, 1)
      yield* check(world.home)
    })
  )

  it.live("reaches a subtask that waits for a permit, which then never asks", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(sub("part one", "a"), sub("part two", "b")), completes("joined")),
        script("part one", { ...completes("1"), hold: "gate", holdAt: 0 }),
        script("part two", { ...completes("2"), hold: "gate", holdAt: 0 })
      ])
      const id = yield* world.session(
        Effect.gen(function* () {
          const { engine, id, running } = yield* created(world.task("root"))
          yield* waitFor(world, 2)
          yield* engine.interrupt(id, "user")
          yield* Fiber.join(running)
          return id
        }),
        { concurrency: 1 }
      )
      assert.strictEqual(world.server.requests.length, 2)
      assert.deepStrictEqual(statuses(yield* check(world.home)), [
        ["root", "user from delegated"],
        ["part one", "parent from active"],
        ["part two", "parent from created"]
      ])
      world.server.release("gate")
      const { record } = yield* world.session(resume(id), { concurrency: 1 })
      assert.deepInclude(record, { status: "completed", result: "joined" })
      yield* check(world.home)
    })
  )

  it.live("ends a running command with its process group, and the model is told", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "command",
          calls(
            ["execute_command", { command: "sleep 1000 & echo $!; wait; echo late > late" }, "c"],
            ["write_to_file", { path: "after.txt", content: "x" }, "w"]
          ),
          completes("x")
        )
      ])
      const { id, pid } = yield* world.session(
        Effect.gen(function* () {
          const shown = yield* eventually((event) => event.type === "tool.output")
          const { engine, id, running } = yield* created(world.task("command", {}, { sandbox: "off" }))
          const event = yield* shown
          const pid = event.type === "tool.output" ? Number(event.chunk) : 0
          yield* engine.interrupt(id, "user")
          yield* Fiber.join(running)
          const calls = yield* (yield* TaskHistory).calls(id)
          assert.deepStrictEqual(
            calls.map((call) => [call.callId, call.state]),
            [
              ["c", "unknown"],
              ["w", "requested"]
            ]
          )
          return { id, pid }
        })
      )
      assert.isFalse(isAlive(pid))
      assert.deepStrictEqual([world.exists("late"), world.exists("after.txt")], [false, false])
      const given = yield* world.session(Effect.andThen(resume(id), results(id)))
      assert.include(given.get("c"), "the task was stopped while this ran, and it was ended")
      // What had not started runs when the task goes on.
      assert.strictEqual(world.read("after.txt"), "x")
      yield* check(world.home)
    })
  )

  it.live("keeps the text that had arrived, and the next request says that it was cut there", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "partial",
          { content: [{ type: "text", text: "half of a thought that goes on for a while" }], hold: "gate" },
          completes("whole")
        )
      ])
      const id = yield* world.session(
        Effect.gen(function* () {
          const arrived = yield* eventually((event) => event.type === "text.delta")
          const { engine, id, running } = yield* created(world.task("partial"))
          yield* arrived
          yield* engine.interrupt(id, "user")
          yield* Fiber.join(running)
          return id
        })
      )
      const { record } = yield* world.session(resume(id))
      assert.deepInclude(record, { status: "completed", result: "whole" })
      const last = requestsOf(world, "partial").at(-1)
      assert.include(JSON.stringify(last.messages.at(-2)), "half of")
      assert.include(JSON.stringify(last.messages.at(-1)), "interrupted here")
      yield* check(world.home)
    })
  )

  it.live("finds a subtask that has just completed: its report is kept, and the parent stays stopped", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(sub("part one", "a")), completes("joined")),
        script("part one", completes("first"))
      ])
      let stop = () => {}
      const { record } = yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const id = yield* engine.create(world.task("root"))
          stop = () => void Effect.runFork(engine.interrupt(id, "user"))
          return yield* engine.run(id)
        }),
        { failpoints: (name) => (name === "complete.commit.after" ? stop() : undefined) }
      )
      assert.deepStrictEqual(statuses(yield* check(world.home)), [
        ["root", "user from delegated"],
        ["part one", "completed"]
      ])
      const next = yield* world.session(resume(record.id))
      assert.deepInclude(next.record, { status: "completed", result: "joined" })
      assert.strictEqual((yield* world.session(results(record.id))).get("a"), "first")
      assert.strictEqual(requestsOf(world, "part one").length, 1)
      yield* check(world.home)
    })
  )

  it.live("comes from closing the host, too: nothing is left leased", () =>
    Effect.gen(function* () {
      const world = yield* make([script("closed", { ...completes("x"), hold: "gate", holdAt: 0 })])
      const id = yield* world.session(
        Effect.gen(function* () {
          const { id } = yield* created(world.task("closed"))
          yield* waitFor(world, 1)
          return id
        })
      )
      assert.deepStrictEqual(statuses(yield* check(world.home)), [["closed", "host from active"]])
      world.server.release("gate")
      const { record } = yield* world.session(resume(id))
      assert.strictEqual(record.status, "completed")
    })
  )
})

describe("a request to stop from another process", () => {
  it.live("is carried out once, by the process that runs the task", () =>
    Effect.gen(function* () {
      const world = yield* make([script("remote", { ...completes("x"), hold: "gate", holdAt: 0 })])
      const { pending, record } = yield* world.session(
        Effect.gen(function* () {
          const history = yield* TaskHistory
          const inbox = yield* Inbox
          const { id, running } = yield* created(world.task("remote"))
          yield* waitFor(world, 1)
          const row = yield* history.row(id)
          const attempt = Option.isSome(row) ? row.value.record.attempt : 0
          const other = layerSqlite({ directory: world.home, kind: "other" })
          const post = (requestId: string, of: number) =>
            Effect.flatMap(Inbox, ({ post }) =>
              post({ id: requestId, taskId: id, attempt: of, kind: "interrupt", by: "other" })
            )
          // One for an attempt that is over is ignored.
          yield* Effect.andThen(post("old", attempt - 1), post("new", attempt)).pipe(Effect.provide(other))
          const { record } = yield* Fiber.join(running)
          return { record, pending: yield* inbox.pending }
        })
      )
      assert.deepInclude(record, { status: "interrupted", interruption: { reason: "user", from: "active" } })
      assert.deepStrictEqual(pending, [])
      yield* check(world.home)
    })
  )
})
