/** What has stopped: how it goes on, what its parent is told, and why it did. */
import { TaskHistory } from "@belay/history-store"
import { assert, describe, it } from "@effect/vitest"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { UserPort, TaskEngine } from "../src/index.ts"
import { interruption } from "../src/text.ts"
import { check } from "./sound.ts"
import {
  calls,
  completes,
  eventually,
  make,
  recorded,
  requestsOf,
  results,
  resume,
  run,
  script,
  waitFor
} from "./world.ts"
import { sub, created, statuses } from "./stopping.ts"

describe("a resume", () => {
  it.live("delivers what subtasks reported before anything else is asked", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(sub("part one", "a"), sub("part two", "b")), completes("joined")),
        script("part one", completes("first")),
        script("part two", { ...completes("second"), hold: "gate", holdAt: 0 })
      ])
      const id = yield* world.session(
        Effect.gen(function* () {
          const collected = yield* eventually((event) => event.type === "delegation.collected")
          const { engine, id, running } = yield* created(world.task("root"))
          yield* collected
          yield* engine.interrupt(id, "user")
          yield* Fiber.join(running)
          return id
        })
      )
      world.server.release("gate")
      const { record } = yield* world.session(resume(id, { message: "and be quick" }))
      assert.deepInclude(record, { status: "completed", result: "joined" })
      const [, last] = requestsOf(world, "root")
      const blocks: ReadonlyArray<any> = last.messages.at(-1).content
      assert.deepStrictEqual(
        blocks.map((block) => block.tool_use_id ?? block.text),
        ["a", "b", "and be quick"]
      )
      assert.strictEqual(requestsOf(world, "part one").length, 1)
      yield* check(world.home)
    })
  )
})

describe("a subtask", () => {
  it.live("that is stopped alone leaves its parent waiting for it", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(sub("part one", "a")), completes("joined")),
        script("part one", { ...completes("first"), hold: "gate", holdAt: 0 })
      ])
      const id = yield* world.session(
        Effect.gen(function* () {
          const history = yield* TaskHistory
          const { engine, id, running } = yield* created(world.task("root"))
          yield* waitFor(world, 2)
          const [child] = yield* history.children(id)
          if (child !== undefined) yield* engine.interrupt(child.record.id, "user")
          yield* Fiber.join(running)
          return id
        })
      )
      assert.deepStrictEqual(statuses(yield* check(world.home)), [
        ["root", "delegated"],
        ["part one", "user from active"]
      ])
      world.server.release("gate")
      const { record } = yield* world.session(resume(id))
      assert.deepInclude(record, { status: "completed", result: "joined" })
      yield* check(world.home)
    })
  )
  it.live("that goes on alone brings its report to the parent that the user stopped, which stays stopped", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(sub("part one", "a")), completes("joined")),
        script("part one", { ...completes("first"), hold: "gate", holdAt: 0 }, completes("first"))
      ])
      const id = yield* world.session(
        Effect.gen(function* () {
          const { engine, id, running } = yield* created(world.task("root"))
          yield* waitFor(world, 2)
          yield* engine.interrupt(id, "user")
          yield* Fiber.join(running)
          return id
        })
      )
      world.server.release("gate")
      yield* world.session(
        Effect.gen(function* () {
          const history = yield* TaskHistory
          for (const { record } of yield* history.children(id)) yield* resume(record.id)
          assert.strictEqual((yield* results(id)).get("a"), "first")
        })
      )
      assert.deepStrictEqual(statuses(yield* check(world.home)), [
        ["root", "user from delegated"],
        ["part one", "completed"]
      ])
      assert.strictEqual(requestsOf(world, "root").length, 1)
      assert.deepInclude((yield* world.session(resume(id))).record, { status: "completed", result: "joined" })
    })
  )
})

describe("a runner", () => {
  it.live("that has lost its task to another process writes nothing more than what its call cost", () =>
    Effect.gen(function* () {
      const world = yield* make([script("taken", { ...completes("x"), hold: "gate", holdAt: 0 })])
      const outcome = yield* world.session(
        Effect.gen(function* () {
          const history = yield* TaskHistory
          const { id, running } = yield* created(world.task("taken"))
          yield* waitFor(world, 1)
          const bump = (taskId: TaskId.TaskId) => [
            { _tag: "Lifecycle", request: { _tag: "Interrupt", taskId, reason: "host" } } as const,
            { _tag: "Lifecycle", request: { _tag: "Resume", taskId } } as const
          ]
          // As another attempt would: the fence moves on under the runner.
          yield* history.commit(bump(id))
          const before = yield* history.events(id, 1, 1000)
          world.server.release("gate")
          const ended = yield* Fiber.join(running)
          const after = (yield* history.events(id, 1, 1000)).slice(before.length)
          return { ended, after }
        })
      )
      assert.deepInclude(outcome.ended.failure, { _tag: "TransitionRejected", rule: "LeaseLost" })
      assert.deepStrictEqual(
        outcome.after.map(({ type }) => type),
        ["usage"]
      )
    })
  )

  it.live("stops for a model error with what had arrived, and says why", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "broken",
          {
            content: [{ type: "text", text: "some words first" }],
            streamError: { type: "overloaded_error", message: "busy" },
            streamErrorAt: 4,
            times: 2
          },
          completes("late")
        )
      ])
      const { ended, events } = yield* world.session(
        Effect.gen(function* () {
          const events = yield* recorded
          return { ended: yield* run(world.task("broken")), events }
        })
      )
      assert.strictEqual(ended.failure?._tag, "ModelError")
      assert.deepInclude(ended.record, { status: "interrupted", interruption: { reason: "service", from: "active" } })
      assert.isTrue(events.some((event) => event.type === "error" && event.tag === "ModelError"))
      const { record } = yield* world.session(resume(ended.id))
      assert.strictEqual(record.status, "completed")
      yield* check(world.home)
    })
  )
})

describe("why a task stopped", () => {
  const sentence = (id: TaskId.TaskId) =>
    Effect.gen(function* () {
      const row = Option.getOrThrow(yield* (yield* TaskHistory).row(id))
      return row.record.status === "interrupted"
        ? interruption(row.record.interruption.reason, { kind: row.meta.host })
        : row.record.status
    })

  const person = Layer.succeed(UserPort, { attended: true, approve: () => Effect.never, answer: () => Effect.never })

  it.live("names the program that ran it last, whichever made it and whoever has spoken to it since", () =>
    Effect.gen(function* () {
      const question = calls(["ask_followup_question", { question: "?" }])
      const world = yield* make([script("root", calls(sub("child", "c")), completes("x")), script("child", question)])
      const asked = (start: Effect.Effect<TaskId.TaskId, unknown, TaskEngine>) =>
        Effect.gen(function* () {
          const asks = yield* eventually(
            (event) =>
              event.type === "ask" ||
              (event.type === "task.status" && event.command === "Resume" && event.to === "active")
          )
          const { run } = yield* TaskEngine
          const id = yield* start
          yield* Effect.forkChild(run(id))
          yield* asks
          return id
        })
      const made = Effect.flatMap(TaskEngine, ({ create }) => create(world.task("root", { host: "cli" })))
      const root = yield* world.session(asked(made), { person, kind: "cli" })
      assert.strictEqual(yield* world.session(sentence(root)), "the program was closed")
      const goesOn = Effect.flatMap(TaskEngine, ({ resume }) => Effect.as(resume(root, {}), root))
      const answered = Effect.gen(function* () {
        const [child] = yield* (yield* TaskHistory).children(root)
        return Option.getOrThrow(Option.fromUndefinedOr(child)).record.id
      })
      const child = yield* world.session(Effect.andThen(asked(goesOn), answered), { person, kind: "vscode" })
      assert.strictEqual(yield* world.session(sentence(root)), "VS Code was closed")
      yield* world.session(Effect.flatMap(TaskEngine, ({ visit }) => visit(root, { message: "hello" })))
      assert.strictEqual(yield* world.session(sentence(root)), "VS Code was closed")
      yield* world.session(
        Effect.gen(function* () {
          const row = Option.getOrThrow(yield* (yield* TaskHistory).row(child))
          assert.strictEqual(row.meta.host, "vscode", "a subtask, too")
        })
      )
    })
  )
})
