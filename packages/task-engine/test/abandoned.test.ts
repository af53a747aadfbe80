/** Two engines on one history: one abandons a subtask of the other's task, or starts it over. */
import { FocusChain } from "@belay/focus-chain"
import { TaskHistory } from "@belay/history-store"
import { TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { Releasing } from "../src/remote.ts"
import { check } from "./sound.ts"
import {
  calls,
  completes,
  eventually,
  make,
  requestsOf,
  results,
  resume,
  script,
  waitFor,
  type World
} from "./world.ts"
import { sub, held, apart, other, post, replyTo, recordOf, waiting, oneAsks } from "./engines.ts"

const lists = (world: World) => FocusChain.layerNode({ directory: world.home })

describe("a task that another process abandons a subtask of", () => {
  it.live("goes on with the answer of its call, and the subtask is stopped; once, however often it is asked", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(sub("part one", "n1")), completes("without it")),
        script("part one", { ...completes("first"), ...held })
      ])
      yield* world.session(
        Effect.gen(function* () {
          const { children, fiber, id } = yield* waiting(world, "part one")
          const body = { kind: "abandon", child: children[0] } as const
          yield* post(world, "r", id, body)
          yield* post(world, "r", id, body)
          const { record } = yield* Fiber.join(fiber)
          assert.deepInclude(record, { status: "completed", result: "without it" })
          assert.deepStrictEqual(yield* replyTo("r"), { _tag: "applied" })
          assert.match((yield* results(id)).get("n1") ?? "", /abandoned\] The user abandoned this subtask/)
          const child = yield* recordOf(children[0])
          assert.deepInclude(child, { status: "interrupted", interruption: { reason: "user", from: "active" } })
        })
      )
      const [, second] = requestsOf(world, "root")
      assert.strictEqual(JSON.stringify(second.messages).split("abandoned this subtask").length, 2)
      yield* check(world.home)
    })
  )

  it.live("keeps waiting for the other ones", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(sub("part one", "n1"), sub("part two", "n2")), completes("joined")),
        script("part one", { ...completes("first"), hold: "one", holdAt: 0 }),
        script("part two", { ...completes("second"), hold: "two", holdAt: 0 })
      ])
      yield* world.session(
        Effect.gen(function* () {
          const stopped = yield* eventually((event) => event.type === "task.status" && event.to === "interrupted")
          const { children, fiber, id } = yield* waiting(world, "part one", "part two")
          yield* post(world, "r", id, { kind: "abandon", child: children[0] })
          yield* stopped
          assert.strictEqual((yield* recordOf(id)).status, "delegated")
          world.server.release("two")
          const { record } = yield* Fiber.join(fiber)
          assert.deepInclude(record, { status: "completed", result: "joined" })
          assert.strictEqual((yield* results(id)).get("n2"), "second")
        })
      )
      yield* check(world.home)
    })
  )

  it.live("has the result of the one that completed first: that is not abandoned any more", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(sub("part one", "n1")), { ...completes("joined"), hold: "root", holdAt: 0 }),
        script("part one", { ...completes("first"), ...held })
      ])
      let asked: Promise<unknown> | undefined
      let ask: (() => Promise<unknown>) | undefined
      yield* world.session(
        Effect.gen(function* () {
          const { children, fiber, id } = yield* waiting(world, "part one")
          ask = () => Effect.runPromise(post(world, "r", id, { kind: "abandon", child: children[0] }))
          world.server.release("gate")
          yield* waitFor(world, () => requestsOf(world, "root").length === 2)
          yield* Effect.promise(async () => asked)
          yield* Effect.repeat(replyTo("r"), { until: (reply) => reply !== undefined })
          world.server.release("root")
          const { record } = yield* Fiber.join(fiber)
          assert.deepInclude(record, { status: "completed", result: "joined" })
          assert.strictEqual((yield* results(id)).get("n1"), "first")
          assert.strictEqual((yield* replyTo("r"))?._tag, "refused")
        }),
        {
          failpoints: (name) => {
            if (name === "complete.commit.after") asked ??= ask?.()
          }
        }
      )
      yield* check(world.home)
    })
  )

  it.live("in the background reads of it at the next turn, and not between a request and its answer", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "root",
          calls(["new_task", { message: "part one", background: true }, "n1"]),
          { ...calls(["list_files", { path: "." }, "l"]), hold: "root", holdAt: 0 },
          completes("done")
        ),
        script("part one", { ...completes("first"), ...held })
      ])
      yield* world.session(
        Effect.gen(function* () {
          const stopped = yield* eventually((event) => event.type === "task.status" && event.to === "interrupted")
          const { children, fiber, id } = yield* waiting(world, "part one")
          yield* waitFor(world, () => requestsOf(world, "root").length === 2)
          yield* post(world, "r", id, { kind: "abandon", child: children[0] })
          yield* stopped
          world.server.release("root")
          const { record } = yield* Fiber.join(fiber)
          assert.deepInclude(record, { status: "completed", result: "done" })
        })
      )
      const [, second, third] = requestsOf(world, "root")
      assert.notInclude(JSON.stringify(second.messages), "abandoned")
      assert.match(JSON.stringify(third.messages.at(-1)), /tool_result.*abandoned/)
      yield* check(world.home)
    })
  )

  it.live("asks a third process to stop the subtask that it runs", () =>
    Effect.gen(function* () {
      const world = yield* oneAsks
      yield* world.session(
        Effect.gen(function* () {
          const paused = yield* eventually((event) => event.type === "task.status" && event.to === "interrupted")
          const { children, fiber, id } = yield* waiting(world, "ask me", "part two")
          const [first] = children
          yield* paused
          const ended = yield* apart(
            world,
            Effect.gen(function* () {
              const third = yield* Effect.forkChild(resume(first, { message: "this one" }))
              yield* waitFor(world, () => requestsOf(world, "ask me").length === 2)
              yield* post(world, "r", id, { kind: "abandon", child: first })
              return yield* Fiber.join(third)
            })
          )
          assert.deepInclude(ended.record, {
            status: "interrupted",
            interruption: { reason: "user", from: "active" }
          })
          world.server.release("gate")
          const { record } = yield* Fiber.join(fiber)
          assert.deepInclude(record, { status: "completed", result: "joined" })
          assert.include((yield* results(id)).get("n1"), "abandoned")
        })
      )
      yield* check(world.home)
    })
  )
})

describe("a task that another process starts a subtask over of", () => {
  it.live("waits for the new one, which this process runs, with other instructions", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(sub("ask me", "n1"), sub("part two", "n2")), completes("joined")),
        script("ask me", calls(["ask_followup_question", { question: "which?" }, "q"])),
        script("only the parser", completes("parsed")),
        script("part two", { ...completes("second"), ...held })
      ])
      const to = yield* TaskId.make
      yield* world.session(
        Effect.gen(function* () {
          const paused = yield* eventually((event) => event.type === "task.status" && event.to === "interrupted")
          const { children, fiber, id } = yield* waiting(world, "ask me", "part two")
          const done = yield* eventually((event) => event.type === "task.completed" && event.taskId === to)
          yield* paused
          yield* post(world, "early", id, { kind: "restart", child: children[1], to: yield* TaskId.make })
          yield* post(world, "r", id, { kind: "restart", child: children[0], to, message: "only the parser" })
          yield* done
          assert.deepStrictEqual(yield* replyTo("r"), { _tag: "applied" })
          assert.deepStrictEqual(yield* replyTo("early"), { _tag: "refused", why: "NotStuck" })
          world.server.release("gate")
          const { record } = yield* Fiber.join(fiber)
          assert.deepInclude(record, { status: "completed", result: "joined" })
        })
      )
      const last = JSON.stringify(requestsOf(world, "root").at(-1).messages)
      assert.match(last, /started this subtask over/)
      assert.strictEqual(last.split(`[task ${to}: succeeded] parsed`).length, 2)
      yield* check(world.home)
    })
  )
})

/** A root that waits for one subtask which is held, and for one which waits for a subtask of its own that stops. */
const stuckBelow = make([
  script("root", calls(sub("middle", "n1"), sub("part two", "n2")), completes("joined")),
  script("middle", calls(sub("ask me", "m1")), completes("never")),
  script("ask me", calls(["ask_followup_question", { question: "which?" }, "q"])),
  script("only the parser", completes("parsed")),
  script("part two", { ...completes("second"), ...held })
])

const stuckInside = (world: World) =>
  Effect.gen(function* () {
    const paused = yield* eventually((event) => event.type === "task.status" && event.to === "interrupted")
    const found = yield* waiting(world, "ask me", "part two")
    yield* paused
    assert.strictEqual((yield* recordOf(found.children[0])).status, "delegated")
    return found
  })

describe("a subtask that is started over while it waits for one of its own that has stopped", () => {
  it.live("waits no longer, when another process asked for it", () =>
    Effect.gen(function* () {
      const world = yield* stuckBelow
      const stopped = Promise.withResolvers<void>()
      yield* world.session(
        Effect.gen(function* () {
          const { children, fiber, id } = yield* stuckInside(world)
          const [middle] = children
          const to = yield* TaskId.make
          yield* post(world, "r", id, { kind: "restart", child: middle, to, message: "only the parser" })
          yield* Effect.promise(() => stopped.promise)
          assert.deepStrictEqual(yield* replyTo("r"), { _tag: "applied" })
          assert.deepInclude(yield* recordOf(middle), {
            status: "interrupted",
            interruption: { reason: "user", from: "delegated" }
          })
          world.server.release("gate")
          assert.deepInclude((yield* Fiber.join(fiber)).record, { status: "completed", result: "joined" })
        }),
        {
          failpoints: (name) => {
            if (name === "restart.stop.after") stopped.resolve()
          }
        }
      )
      yield* check(world.home)
    })
  )

  it.live("waits no longer, when no process has it", () =>
    Effect.gen(function* () {
      const world = yield* stuckBelow
      const { children, id } = yield* world.session(stuckInside(world))
      const [middle] = children
      const resumed = (taskId: TaskId.TaskId) => ({ _tag: "Lifecycle", request: { _tag: "Resume", taskId } }) as const
      // Both wait again, and their process goes away without a word.
      yield* other(
        world,
        Effect.flatMap(TaskHistory, (history) => history.commit([resumed(id), resumed(middle)]))
      )
      yield* other(
        world,
        Effect.gen(function* () {
          const history = yield* TaskHistory
          const rowOf = (of: TaskId.TaskId) => Effect.map(history.row(of), Option.getOrThrow)
          const pair = { child: yield* rowOf(middle), parent: yield* rowOf(id) }
          assert.strictEqual(pair.child.record.status, "delegated")
          assert.strictEqual((yield* Effect.provide(Releasing.restart(pair), lists(world))).released, "here")
          assert.deepInclude(yield* recordOf(middle), {
            status: "interrupted",
            interruption: { reason: "user", from: "delegated" }
          })
        })
      )
      yield* check(world.home)
    })
  )
})
