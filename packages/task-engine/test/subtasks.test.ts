/** Subtasks that stop, are taken over, resumed and limited beside others. */
import { Approvals } from "@belay/approval-policy"
import { Inbox, TaskHistory } from "@belay/history-store"
import type { TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { TaskEngine } from "../src/index.ts"
import { check } from "./sound.ts"
import {
  type Answer,
  calls,
  completes,
  eventually,
  make,
  requestsOf,
  resume,
  run,
  script,
  waitFor,
  type World
} from "./world.ts"

const sub = (message: string, id: string) => ["new_task", { message }, id] as const

const held = (answer: Answer, gate: string): Answer => ({ ...answer, hold: gate, holdAt: 0 })

const created = (task: Parameters<TaskEngine["Service"]["create"]>[0]) =>
  Effect.gen(function* () {
    const engine = yield* TaskEngine
    const id = yield* engine.create(task)
    return { engine, id, running: yield* Effect.forkChild(engine.run(id)) }
  })

/** The tasks of a tree by title. */
const byTitle = (root: TaskId.TaskId) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const { rows } = yield* history.list({ limit: 50 })
    return new Map(rows.filter(({ record }) => record.lineage.rootId === root).map((row) => [row.meta.title, row]))
  })

const idOf = (root: TaskId.TaskId, title: string) =>
  Effect.map(byTitle(root), (tasks) => Option.getOrThrow(Option.fromUndefinedOr(tasks.get(title))).record.id)

const sent = (world: World, ...prompts: ReadonlyArray<string>) =>
  prompts.map((prompt) => requestsOf(world, prompt).length)

describe("of two subtasks", () => {
  const scripts = [
    script("root", calls(sub("part one", "a"), sub("part two", "b")), completes("joined")),
    script("part one", held(completes("first"), "one"), completes("first")),
    script("part two", held(completes("second"), "two"), completes("second"))
  ]

  it.live("the one that a person stopped is not begun again by the report of the other", () =>
    Effect.gen(function* () {
      const world = yield* make(scripts)
      const { record } = yield* world.session(
        Effect.gen(function* () {
          const { engine, id, running } = yield* created(world.task("root"))
          yield* waitFor(world, 3)
          yield* engine.interrupt(yield* idOf(id, "part one"), "user")
          world.server.release("two")
          return yield* Fiber.join(running)
        })
      )
      assert.strictEqual(record.status, "delegated")
      assert.deepStrictEqual(sent(world, "root", "part one", "part two"), [1, 1, 1])
      yield* check(world.home)
    })
  )

  it.live("only the one that is named goes on with its parent", () =>
    Effect.gen(function* () {
      const world = yield* make(scripts)
      const { id, two } = yield* world.session(
        Effect.gen(function* () {
          const { engine, id, running } = yield* created(world.task("root"))
          yield* waitFor(world, 3)
          yield* engine.interrupt(id, "user")
          yield* Fiber.join(running)
          return { id, two: yield* idOf(id, "part two") }
        })
      )
      world.server.release("one")
      world.server.release("two")
      const { record } = yield* world.session(resume(id, { only: two }))
      assert.strictEqual(record.status, "delegated")
      assert.deepStrictEqual(sent(world, "root", "part one", "part two"), [1, 1, 2])
      assert.deepInclude((yield* world.session(resume(id))).record, { status: "completed", result: "joined" })
      yield* check(world.home)
    })
  )
})

describe("a subtask of a subtask", () => {
  const scripts = [
    script("root", calls(sub("middle", "m")), completes("0")),
    script("middle", calls(sub("lowest", "l")), completes("1")),
    script("lowest", held(completes("2"), "gate"), completes("2"))
  ]

  it.live("is taken over with the task at the top", () =>
    Effect.gen(function* () {
      const world = yield* make(scripts)
      yield* world.session(
        Effect.gen(function* () {
          const { id, running } = yield* created(world.task("root"))
          yield* waitFor(world, 3)
          const other = world.session(
            Effect.gen(function* () {
              const engine = yield* TaskEngine
              const history = yield* TaskHistory
              yield* engine.resume(id, { takeOver: true })
              const owners = [...(yield* byTitle(id)).values()].map(({ lease }) => lease?.ownerId)
              assert.deepStrictEqual(owners, [history.me, history.me, history.me])
              world.server.release("gate")
              assert.strictEqual((yield* engine.run(id)).record.status, "completed")
            })
          )
          // A process of its own: nothing of this one is there.
          yield* Effect.promise(() => Effect.runPromise(other))
          yield* Effect.exit(Fiber.join(running))
        })
      )
      yield* check(world.home)
    })
  )

  it.live("has the limits that the task at the top is resumed with", () =>
    Effect.gen(function* () {
      const world = yield* make(scripts)
      yield* world.session(
        Effect.gen(function* () {
          const { engine, id, running } = yield* created(world.task("root"))
          yield* waitFor(world, 3)
          yield* engine.interrupt(id, "user")
          yield* Fiber.join(running)
          yield* engine.resume(id, { limits: { maxRequests: 77 } })
          const settings = [...(yield* byTitle(id)).values()].map(
            ({ meta }) => meta.settings as { maxRequests: unknown }
          )
          assert.deepStrictEqual(
            settings.map(({ maxRequests }) => maxRequests),
            [77, 77, 77]
          )
        })
      )
    })
  )
})

describe("a stop that another process asks for", () => {
  it.live("is told to it as carried out once it is stored", () =>
    Effect.gen(function* () {
      const world = yield* make([script("asked", held(completes("x"), "gate"))])
      yield* world.session(
        Effect.gen(function* () {
          const { id, running } = yield* created(world.task("asked"))
          yield* waitFor(world, 1)
          yield* world.session(
            Inbox.use(({ post }) => post({ id: "r1", taskId: id, attempt: 1, kind: "interrupt", by: "user" }))
          )
          const { record } = yield* Fiber.join(running)
          assert.strictEqual(record.status, "interrupted")
          const { reply } = yield* Inbox
          assert.deepStrictEqual(yield* reply("r1"), Option.some({ _tag: "applied" }))
        })
      )
    })
  )
})

describe("a parent of background subtasks", () => {
  it.live("is stopped when it waits again and again for one that has stopped", () =>
    Effect.gen(function* () {
      const waits = (id: string, input: object): Answer => calls(["wait_for_tasks", input, id])
      const world = yield* make([
        script(
          "root",
          calls(["new_task", { message: "stuck", background: true, budget: { maxRequests: 1 } }, "n"]),
          held(waits("w1", {}), "root"),
          ...["w2", "w3", "w4", "w5"].map((id, index) => waits(id, index % 2 === 0 ? { ids: [] } : {})),
          completes("never")
        ),
        script("stuck", calls(["list_files", { path: "." }]), completes("x"))
      ])
      const { record } = yield* world.session(
        Effect.gen(function* () {
          const stopped = yield* eventually((event) => event.type === "task.status" && event.to === "interrupted")
          const { running } = yield* created(world.task("root"))
          yield* stopped
          world.server.release("root")
          return yield* Fiber.join(running)
        })
      )
      assert.deepInclude(record, { status: "interrupted", interruption: { reason: "mistakes", from: "active" } })
    })
  )
})

describe("a check-in", () => {
  it.live("is due although a call was denied because nobody was there", () =>
    Effect.gen(function* () {
      const write = (name: string) => calls(["write_to_file", { path: name, content: "x" }, name])
      const outside = calls(["execute_command", { command: "/bin/kill -l" }, "c"])
      const world = yield* make([script("alone", write("one"), outside, write("two"), write("three"), completes("x"))])
      const approvals = { ...Approvals.edits, checkInRequests: 2 }
      const { record } = yield* world.session(run(world.task("alone", {}, { approvals })))
      assert.deepInclude(record, { status: "interrupted", interruption: { reason: "budget", from: "active" } })
      assert.isFalse(world.exists("three"))
    })
  )
})
