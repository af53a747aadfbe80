/** Two engines on one history: what one of them runs, and what the other one asks for or runs itself. */
import { TaskHistory } from "@belay/history-store"
import { TaskId, TaskRecord } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { TaskEngine } from "../src/index.ts"
import { check } from "./sound.ts"
import {
  calls,
  completes,
  eventually,
  make,
  requestsOf,
  results,
  resume,
  run,
  script,
  waitFor,
  type World
} from "./world.ts"
import { sub, held, apart, other, post, replyTo, recordOf, waiting, oneAsks } from "./engines.ts"

/** A root that waits for a subtask which another engine runs, and for nothing else: what happens there, then here. */
const leftElsewhere = <A, B, E, F>(then: {
  readonly there: (
    world: World,
    id: TaskId.TaskId,
    child: TaskId.TaskId
  ) => Effect.Effect<A, E, TaskEngine | TaskHistory>
  readonly here: (
    id: TaskId.TaskId,
    ended: Effect.Success<ReturnType<typeof resume>>
  ) => Effect.Effect<B, F, TaskHistory>
}) =>
  Effect.gen(function* () {
    const world = yield* oneAsks
    yield* world.session(
      Effect.gen(function* () {
        const paused = yield* eventually((event) => event.type === "task.status" && event.to === "interrupted")
        const { children, fiber, id } = yield* waiting(world, "ask me", "part two")
        const collected = yield* eventually((event) => event.type === "delegation.collected")
        yield* paused
        yield* apart(
          world,
          Effect.gen(function* () {
            const third = yield* Effect.forkChild(resume(children[0], { message: "this one" }))
            yield* waitFor(world, () => requestsOf(world, "ask me").length === 2)
            world.server.release("gate")
            yield* collected
            yield* then.there(world, id, children[0])
            yield* Fiber.join(third)
          })
        )
        yield* then.here(id, yield* Fiber.join(fiber))
      })
    )
    yield* check(world.home)
  })

describe("a task that waits for a subtask that another process runs", () => {
  it.live("has its report as soon as it completes there, and goes on", () =>
    leftElsewhere({
      there: Effect.fnUntraced(function* (world, id) {
        assert.strictEqual((yield* recordOf(id)).status, "delegated")
        world.server.release("third")
      }),
      here: Effect.fnUntraced(function* (id, { record }) {
        assert.deepInclude(record, { status: "completed", result: "joined" })
        assert.strictEqual((yield* results(id)).get("n1"), "answered")
      })
    })
  )

  it.live("goes on with what a person closed it as, or without the one that was deleted", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(sub("ask me", "n1"), sub("ask too", "n2"), sub("part three", "n3")), completes("joined")),
        script("ask me", calls(["ask_followup_question", { question: "which?" }, "q"])),
        script("ask too", calls(["ask_followup_question", { question: "which?" }, "q"])),
        script("part three", { ...completes("third"), ...held })
      ])
      yield* world.session(
        Effect.gen(function* () {
          let stops = 0
          const paused = yield* eventually(
            (event) => event.type === "task.status" && event.to === "interrupted" && ++stops === 2
          )
          const { children, fiber, id } = yield* waiting(world, "ask me", "ask too", "part three")
          const [closed, deleted] = children
          yield* paused
          yield* other(
            world,
            Effect.flatMap(TaskHistory, (history) =>
              history.commit([
                {
                  _tag: "Lifecycle",
                  request: { _tag: "Close", taskId: closed, outcome: "succeeded", note: "done by hand" }
                },
                { _tag: "Lifecycle", request: { _tag: "Delete", taskId: deleted, subtasks: "keep" } }
              ])
            )
          )
          world.server.release("gate")
          const { record } = yield* Fiber.join(fiber)
          assert.deepInclude(record, { status: "completed", result: "joined" })
          const given = yield* results(id)
          assert.strictEqual(given.get("n1"), "done by hand")
          assert.include(given.get("n2"), "The user deleted this subtask")
        })
      )
    })
  )
})

describe("a task that waits and is deleted by another process", () => {
  it.live("is given up: its runner ends, and nothing of it is written afterwards", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(sub("ask me", "n1")), completes("joined")),
        script("ask me", calls(["ask_followup_question", { question: "which?" }, "q"]))
      ])
      yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const { id } = yield* run(world.task("root"))
          assert.strictEqual((yield* recordOf(id)).status, "delegated")
          yield* post(world, "r", id, { kind: "delete", subtasks: "delete" })
          yield* Effect.repeat(recordOf(id), { until: (record) => TaskRecord.isTombstone(record) })
          assert.deepInclude(yield* Effect.flip(engine.resume(id, {})), { rule: "Deleted" })
          assert.deepInclude(yield* Effect.flip(engine.run(id)), { rule: "Deleted" })
        })
      )
      assert.strictEqual(requestsOf(world, "root").length, 1)
    })
  )

  it.live("is not deleted while a subtask is at work, or about to be", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(sub("part one", "n1")), completes("joined")),
        script("part one", { ...completes("first"), ...held }),
        script("another", calls(sub("part two", "n2")), completes("joined")),
        script("part two", completes("second"))
      ])
      yield* world.session(
        Effect.gen(function* () {
          const { engine, fiber, id } = yield* waiting(world, "part one")
          const next = yield* engine.create(world.task("another"))
          const delegated = yield* eventually((event) => event.type === "delegation.started" && event.taskId === next)
          const queued = yield* Effect.forkChild(engine.run(next))
          yield* delegated
          for (const taskId of [id, next]) {
            yield* post(world, taskId, taskId, { kind: "delete", subtasks: "delete" })
            const told = yield* Effect.repeat(replyTo(taskId), { until: (reply) => reply !== undefined })
            assert.deepStrictEqual(told, { _tag: "refused", why: "StopFirst" })
          }
          world.server.release("gate")
          for (const one of [fiber, queued]) {
            assert.strictEqual((yield* Fiber.join(one)).record.status, "completed")
          }
        }),
        { concurrency: 1 }
      )
      yield* check(world.home)
    })
  )

  it.live("is given up at once when a person takes it over, although it writes nothing while it waits", () =>
    leftElsewhere({
      there: Effect.fnUntraced(function* (_world, id, child) {
        yield* (yield* TaskEngine).interrupt(child, "user")
        const request = { _tag: "TakeOver", taskId: id } as const
        yield* (yield* TaskHistory).commit([{ _tag: "Lifecycle", request }])
      }),
      here: (_id, { failure }) => Effect.sync(() => assert.deepInclude(failure, { rule: "LeaseLost" }))
    })
  )
})

describe("a task with a running subtask", () => {
  it.live("is taken over with it: the old runners write nothing more, and each result is there once", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(sub("part one", "n1")), completes("joined")),
        script("part one", { ...completes("first"), ...held })
      ])
      yield* world.session(
        Effect.gen(function* () {
          const { children, fiber, id } = yield* waiting(world, "part one")
          const { record } = yield* apart(
            world,
            Effect.gen(function* () {
              const taken = yield* Effect.forkChild(resume(id, { takeOver: true }))
              yield* waitFor(world, () => requestsOf(world, "part one").length === 2)
              world.server.release("gate")
              return yield* Fiber.join(taken)
            })
          )
          assert.deepInclude(record, { status: "completed", result: "joined", attempt: 2 })
          assert.deepInclude(yield* recordOf(children[0]), { status: "completed", result: "first", attempt: 2 })
          assert.deepInclude((yield* Fiber.join(fiber)).failure, { rule: "LeaseLost" })
          assert.strictEqual((yield* results(id)).get("n1"), "first")
        })
      )
      assert.strictEqual(requestsOf(world, "root").length, 2)
      yield* check(world.home)
    })
  )
})

describe("a queued subtask that another process switches", () => {
  it.live("begins in that mode, and reads what was said with it first", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(sub("part one", "n1"), sub("part two", "n2")), completes("joined")),
        script("part one", { ...completes("first"), ...held }),
        script(
          "part two",
          calls(["write_to_file", { path: "one.txt", content: "1" }, "w"]),
          calls(["ask_followup_question", { question: "which?" }, "q"])
        )
      ])
      yield* world.session(
        Effect.gen(function* () {
          const { children, fiber } = yield* waiting(world, "part one")
          const [, second] = children
          const steps = [
            { _tag: "SwitchAtRest", taskId: second, to: "plan", said: [{ id: "s", text: "look first" }] }
          ] as const
          yield* other(
            world,
            Effect.flatMap(TaskHistory, (history) => history.commit(steps))
          )
          world.server.release("gate")
          yield* Fiber.join(fiber)
          assert.include((yield* results(second)).get("w"), "is for act mode")
        }),
        { concurrency: 1 }
      )
      assert.include(JSON.stringify(requestsOf(world, "part two")[0].messages), "look first")
      assert.isFalse(world.exists("one.txt"))
      yield* check(world.home)
    })
  )
})

describe("a task whose subtasks have all stopped, and that its process keeps", () => {
  const asks = calls(["ask_followup_question", { question: "which?" }, "q"])
  const two = [
    script("root", calls(sub("part one", "n1"), sub("part two", "n2")), completes("joined")),
    script("part one", asks, completes("first")),
    script("part two", asks, completes("second"))
  ]

  /** The root of this session when its runner has ended. */
  const rested = (world: World) =>
    Effect.gen(function* () {
      const { id, record } = yield* run(world.task("root"))
      assert.strictEqual(record.status, "delegated")
      const children = yield* (yield* TaskHistory).children(id)
      return { id, children: children.map((child) => child.record.id) as [TaskId.TaskId, TaskId.TaskId] }
    })

  const answersElsewhere = (world: World, child: TaskId.TaskId) => apart(world, resume(child, { message: "this one" }))

  it.live(
    "collects what another process brings to an end, starts nothing that stopped, and goes on after the last",
    () =>
      Effect.gen(function* () {
        const world = yield* make(two)
        yield* world.session(
          Effect.gen(function* () {
            const { children, id } = yield* rested(world)
            const collected = yield* eventually((event) => event.type === "delegation.collected")
            yield* answersElsewhere(world, children[0])
            yield* collected
            const between = yield* recordOf(id)
            assert.strictEqual(between.status, "delegated")
            assert.deepStrictEqual(TaskRecord.awaitedIds(between), [children[1]])
            assert.strictEqual(requestsOf(world, "part two").length, 1, "the other one stays stopped")
            const done = yield* eventually((event) => event.type === "task.completed" && event.taskId === id)
            yield* answersElsewhere(world, children[1])
            yield* done
            const given = yield* results(id)
            assert.deepStrictEqual([given.get("n1"), given.get("n2")], ["first", "second"])
          })
        )
        yield* check(world.home)
      })
  )

  it.live("goes on through every task above it that waits in the same way", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("top", calls(sub("root", "r")), completes("top done")),
        script("root", calls(sub("part one", "n1")), completes("joined")),
        script("part one", asks, completes("first"))
      ])
      yield* world.session(
        Effect.gen(function* () {
          const { id } = yield* run(world.task("top"))
          const history = yield* TaskHistory
          const [middle] = yield* history.children(id)
          const [leaf] = yield* history.children(middle?.record.id ?? id)
          const done = yield* eventually((event) => event.type === "task.completed" && event.taskId === id)
          yield* answersElsewhere(world, leaf?.record.id ?? id)
          yield* done
          assert.deepInclude(yield* recordOf(id), { status: "completed", result: "top done" })
        })
      )
      yield* check(world.home)
    })
  )

  it.live("takes a message and a switch, and is stopped, when another process asks for it", () =>
    Effect.gen(function* () {
      const world = yield* make(two)
      const id = yield* world.session(
        Effect.gen(function* () {
          const { id } = yield* rested(world)
          yield* post(world, "m", id, { kind: "message", text: "and quickly" })
          yield* post(world, "s", id, { kind: "mode", mode: "plan", text: "think first" })
          yield* post(world, "a", id, { kind: "answer", askId: "none", text: "x" })
          const answered = (request: string) =>
            Effect.repeat(replyTo(request), { until: (reply) => reply !== undefined })
          assert.deepStrictEqual(yield* answered("m"), { _tag: "accepted" })
          assert.deepStrictEqual(yield* answered("s"), { _tag: "applied" })
          assert.deepStrictEqual(yield* answered("a"), { _tag: "refused", why: "unknownAsk" })
          const stopped = yield* eventually((event) => event.type === "task.status" && event.to === "interrupted")
          yield* post(world, "i", id, { kind: "interrupt" })
          yield* stopped
          assert.deepStrictEqual(yield* answered("i"), { _tag: "applied" })
          assert.deepInclude(yield* recordOf(id), {
            status: "interrupted",
            interruption: { reason: "user", from: "delegated" }
          })
          return id
        })
      )
      const [root] = yield* check(world.home)
      assert.deepInclude(root?.meta, { mode: "plan" })
      assert.strictEqual(root?.record.id, id)
    })
  )

  it.live("is deleted for another process, once", () =>
    Effect.gen(function* () {
      const world = yield* make(two)
      yield* world.session(
        Effect.gen(function* () {
          const { id } = yield* rested(world)
          const deleted = yield* eventually((event) => event.type === "task.deleted" && event.taskId === id)
          yield* post(world, "d", id, { kind: "delete", subtasks: "delete" })
          yield* deleted
          assert.isTrue(TaskRecord.isTombstone(yield* recordOf(id)))
        })
      )
    })
  )

  it.live("is stopped here, too", () =>
    Effect.gen(function* () {
      const world = yield* make(two)
      yield* world.session(
        Effect.gen(function* () {
          const { id } = yield* rested(world)
          yield* (yield* TaskEngine).interrupt(id, "user")
          assert.strictEqual((yield* recordOf(id)).status, "interrupted")
        })
      )
    })
  )

  it.effect("stays its own for longer than a look at the leases takes", () =>
    Effect.gen(function* () {
      const world = yield* make(two)
      yield* world.session(
        Effect.gen(function* () {
          const { id } = yield* rested(world)
          yield* TestClock.adjust("3 minutes")
          assert.strictEqual((yield* recordOf(id)).status, "delegated")
        })
      )
    })
  )
})
