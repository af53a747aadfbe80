/** What happens to a task between the moment an engine reads it and the moment it writes. */
import { Inbox, TaskHistory } from "@belay/history-store"
import { type Protocol, type TaskId, TaskRecord } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { layerSqlite } from "./history.ts"
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
  type SessionOptions,
  type World
} from "./world.ts"

const sub = (message: string, id: string) => ["new_task", { message }, id] as const
const asks = calls(["ask_followup_question", { question: "which?" }, "q"])

const recordOf = (id: TaskId.TaskId) =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.row(id)),
    (row) => Option.getOrThrow(row).record
  )

/** Another process, which lives as long as the scope. */
const another = (world: World) => Layer.build(layerSqlite({ directory: world.home, kind: "other" }))

/** The commits of the engine that have such a command wait for this first. */
const before = (
  fits: (request: Protocol.Request) => boolean,
  first: Effect.Effect<unknown>
): Pick<SessionOptions, "seen"> => ({
  seen: ({ commit }) => ({
    commit: (steps) =>
      steps.some((step) => step._tag === "Lifecycle" && fits(step.request))
        ? Effect.andThen(first, commit(steps))
        : commit(steps)
  })
})

const two = [
  script("root", calls(sub("part one", "n1"), sub("part two", "n2")), completes("joined")),
  script("part one", asks, completes("first")),
  script("part two", asks, completes("second"))
]

/** Leaves a parent that waits, and gives its subtasks. */
const left = (world: World) =>
  world.session(
    Effect.gen(function* () {
      const { id, record } = yield* run(world.task("root"))
      assert.strictEqual(record.status, "delegated")
      return { id, children: TaskRecord.awaitedIds(record) as [TaskId.TaskId, TaskId.TaskId] }
    })
  )

describe("a parent that nobody has, whose subtask completes", () => {
  it.live("goes on once when two of them complete at the same moment, and both have succeeded", () =>
    Effect.gen(function* () {
      const world = yield* make(two)
      const { children, id } = yield* left(world)
      const both = yield* Deferred.make<void>()
      let came = 0
      const meet = Effect.suspend(() => (++came === 2 ? Deferred.succeed(both, undefined) : Deferred.await(both)))
      yield* world.session(
        Effect.gen(function* () {
          const ended = yield* Effect.forEach(children, (child) => resume(child, { message: "this one" }), {
            concurrency: "unbounded"
          })
          assert.deepStrictEqual(
            ended.map(({ record }) => record.status),
            ["completed", "completed"]
          )
          assert.deepInclude(yield* recordOf(id), { status: "completed", result: "joined" })
          const given = yield* results(id)
          assert.deepStrictEqual([given.get("n1"), given.get("n2")], ["first", "second"])
        }),
        before(({ _tag }) => _tag === "CollectUnowned", meet)
      )
      yield* check(world.home)
    })
  )

  it.live("is left to the process that has taken it in between, and the subtask has succeeded", () =>
    Effect.gen(function* () {
      const world = yield* make(two)
      const { children, id } = yield* left(world)
      const elsewhere = Context.get(yield* another(world), TaskHistory)
      const taken = elsewhere.commit([{ _tag: "Lifecycle", request: { _tag: "Resume", taskId: id } }])
      yield* world.session(
        Effect.gen(function* () {
          const { failure, record } = yield* resume(children[0], { message: "this one" })
          assert.isUndefined(failure)
          assert.deepInclude(record, { status: "completed", result: "first" })
          const row = Option.getOrThrow(yield* (yield* TaskHistory).row(id))
          assert.strictEqual(row.lease?.ownerId, elsewhere.me)
        }),
        before(({ _tag }) => _tag === "CollectUnowned", Effect.orDie(taken))
      )
    })
  )
})

describe("a parent whose process ends before it has looked at a subtask that completes elsewhere", () => {
  it.live("goes on in the process that has brought the subtask to its end", () =>
    Effect.gen(function* () {
      const world = yield* make(two)
      const { children, id } = yield* left(world)
      const life = yield* Scope.make()
      const elsewhere = Context.get(yield* Scope.provide(another(world), life), TaskHistory)
      yield* elsewhere.commit([{ _tag: "Lifecycle", request: { _tag: "Resume", taskId: id } }])
      yield* world.session(
        Effect.gen(function* () {
          const goesOn = yield* eventually((event) => event.type === "task.completed" && event.taskId === id)
          for (const child of children) yield* resume(child, { message: "this one" })
          const row = Option.getOrThrow(yield* (yield* TaskHistory).row(id))
          assert.deepInclude(row.record, { status: "delegated" })
          assert.deepEqual(TaskRecord.awaitedIds(row.record), children)
          yield* Scope.close(life, Exit.void)
          yield* goesOn
          const given = yield* results(id)
          assert.deepStrictEqual([given.get("n1"), given.get("n2")], ["first", "second"])
        })
      )
      yield* check(world.home)
    })
  )
})

describe("a task that is taken by another process while its parent is being stopped", () => {
  it.live("goes on there, and so does what is below it", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("top", calls(sub("root", "r")), completes("top done")),
        script("root", calls(sub("part one", "n1")), completes("joined")),
        script("part one", asks, completes("first"))
      ])
      const elsewhere = yield* another(world)
      const history = Context.get(elsewhere, TaskHistory)
      const below = (id: TaskId.TaskId) =>
        Effect.map(history.children(id), ([child]) => child?.record.id ?? assert.fail("no subtask"))
      let middle: TaskId.TaskId | undefined
      const take = Effect.gen(function* () {
        const root = middle ?? assert.fail("nothing is stopped yet")
        yield* history.commit([
          { _tag: "Lifecycle", request: { _tag: "TakeOver", taskId: root } },
          { _tag: "Lifecycle", request: { _tag: "Resume", taskId: yield* below(root) } }
        ])
      })
      yield* world.session(
        Effect.gen(function* () {
          const { id } = yield* run(world.task("top"))
          const root = yield* below(id)
          middle = root
          yield* (yield* TaskEngine).interrupt(id, "user")
          assert.strictEqual((yield* recordOf(id)).status, "interrupted")
          assert.strictEqual((yield* recordOf(root)).status, "delegated")
          assert.strictEqual((yield* recordOf(yield* below(root))).status, "active")
          assert.deepStrictEqual(yield* Context.get(elsewhere, Inbox).pending, [])
        }),
        before((request) => request._tag === "Interrupt" && request.taskId === middle, Effect.orDie(take))
      )
    })
  )
})

type Seen = NonNullable<SessionOptions["seen"]>

/** What it reads of the history, each followed by `then`. */
const reads: Readonly<Record<string, (then: Effect.Effect<unknown>) => Seen>> = {
  calls: (then) => (history) => ({ calls: (id) => Effect.tap(history.calls(id), then) }),
  messages: (then) => (history) => ({ shown: (id) => Effect.tap(history.shown(id), then) })
}

describe("a runner that begins", () => {
  for (const [name, seen] of Object.entries(reads)) {
    it.live(`shows the model what is stored while it reads its ${name}`, () =>
      Effect.gen(function* () {
        const world = yield* make([
          script("root", calls(sub("part one", "n1")), completes("without it")),
          script("part one", asks)
        ])
        const { children, id } = yield* left(world)
        let meanwhile: Effect.Effect<unknown> = Effect.void
        const once = Effect.suspend(() => {
          const now = meanwhile
          meanwhile = Effect.void
          return now
        })
        yield* world.session(
          Effect.gen(function* () {
            const engine = yield* TaskEngine
            meanwhile = Effect.orDie(engine.release(id, { kind: "abandon", child: children[0] }))
            const { record } = yield* resume(id)
            assert.deepInclude(record, { status: "completed", result: "without it" })
          }),
          { seen: seen(once) }
        )
        const [, second] = requestsOf(world, "root")
        assert.match(JSON.stringify(second.messages.at(-1)), /tool_result.*abandoned this subtask/)
        yield* check(world.home)
      })
    )
  }
})
