/** Two engines on one history: what one of them runs, and what the other one asks for or runs itself. */
import { FocusChain } from "@belay/focus-chain"
import { Inbox, type InboxRequestBody, type Ownership, TaskHistory } from "@belay/history-store"
import { TaskId, TaskRecord } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { TestClock } from "effect/testing"
import { layerSqlite } from "./history.ts"
import { TaskEngine } from "../src/index.ts"
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
  run,
  script,
  waitFor,
  type World
} from "./world.ts"

const sub = (message: string, id: string) => ["new_task", { message }, id] as const
const held = { hold: "gate", holdAt: 0 } as const

/** An engine of its own, which shares nothing with this one but the history. */
const apart = <A, E>(world: World, program: Parameters<typeof world.session<A, E>>[0]) =>
  Effect.promise(() => Effect.runPromise(world.session(program)))

/** What another process does with the history. */
const other = <A, E>(world: World, program: Effect.Effect<A, E, TaskHistory | Inbox | Ownership>) =>
  Effect.provide(program, layerSqlite({ directory: world.home, kind: "other" }))

const lists = (world: World) => FocusChain.layerNode({ directory: world.home })

const post = (world: World, id: string, taskId: TaskId.TaskId, body: InboxRequestBody) =>
  other(
    world,
    Effect.flatMap(Inbox, (inbox) => inbox.post({ ...body, id, taskId, attempt: 1, by: "other" }))
  )

const replyTo = (id: string) =>
  Effect.map(
    Effect.flatMap(Inbox, (inbox) => inbox.reply(id)),
    Option.getOrUndefined
  )

const recordOf = (id: TaskId.TaskId) =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.row(id)),
    (row) => Option.getOrThrow(row).record
  )

/** A root whose subtasks have all asked the model. */
const waiting = (world: World, ...parts: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const engine = yield* TaskEngine
    const history = yield* TaskHistory
    const id = yield* engine.create(world.task("root"))
    const fiber = yield* Effect.forkChild(engine.run(id))
    yield* waitFor(world, () => parts.every((part) => requestsOf(world, part).length > 0))
    const children = (yield* history.children(id)).map(({ record }) => record.id)
    return { engine, id, fiber, children: children as [TaskId.TaskId, TaskId.TaskId] }
  })

/** A root with a subtask that asks, and is held when it goes on, and one that is held from the beginning. */
const oneAsks = make([
  script("root", calls(sub("ask me", "n1"), sub("part two", "n2")), completes("joined")),
  script("ask me", calls(["ask_followup_question", { question: "which?" }, "q"]), {
    ...completes("answered"),
    hold: "third",
    holdAt: 0
  }),
  script("part two", { ...completes("second"), ...held })
])

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
