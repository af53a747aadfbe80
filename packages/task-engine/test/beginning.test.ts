/** Between the commit that takes a task and its runner. */
import { TaskHistory } from "@belay/history-store"
import { TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { TestClock } from "effect/testing"
import { layerSqlite } from "./history.ts"
import { TaskEngine } from "../src/index.ts"
import { calls, completes, make, run, script, type World } from "./world.ts"

const recordOf = (id: TaskId.TaskId) =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.row(id)),
    (row) => Option.getOrThrow(row).record
  )

/** Ends when this process has looked at its leases: a task that it has taken and never runs is interrupted then. */
const audited = (world: World) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const id = yield* TaskId.make
    const { mode, settings, workspace } = world.task("nobody")
    yield* history.commit([
      { _tag: "Lifecycle", request: { _tag: "Create", taskId: id } },
      {
        _tag: "Describe",
        taskId: id,
        meta: { title: "nobody", workspace, mode, model: "test-model", host: "test", settings },
        prompt: { role: "user", content: [{ type: "text", text: "nobody" }] }
      },
      { _tag: "Lifecycle", request: { _tag: "Start", taskId: id } }
    ])
    yield* TestClock.adjust("2 minutes")
    yield* Effect.repeat(recordOf(id), { until: ({ status }) => status === "interrupted" })
  })

const asks = script("asks", calls(["ask_followup_question", { question: "which?" }, "q"]), completes("answered"))

describe("a task that is taken and not run yet", () => {
  it.effect("is left alone by a look at the leases: new, continued, or resumed", () =>
    Effect.gen(function* () {
      const world = yield* make([{ ...script("first", completes("one"), completes("two")), shared: true }, asks])
      yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const paused = yield* run(world.task("asks"))
          const created = yield* engine.create(world.task("first"))
          yield* audited(world)
          assert.deepInclude((yield* engine.run(created)).record, { status: "completed", attempt: 1 })

          yield* engine.resume(paused.id, { message: "this one" })
          const next = yield* engine.fork(created, { text: "more", settings: (same) => same, host: "test" })
          yield* audited(world)
          for (const [id, attempt] of [
            [paused.id, 2],
            [next, 1]
          ] as const) {
            assert.deepInclude((yield* engine.run(id)).record, { status: "completed", attempt })
          }
        })
      )
    })
  )

  it.effect("is looked at like every other one when it could not be taken", () =>
    Effect.gen(function* () {
      const world = yield* make([asks])
      yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const history = yield* TaskHistory
          const { id } = yield* run(world.task("asks"))
          const resumed = { _tag: "Lifecycle", request: { _tag: "Resume", taskId: id } } as const
          const stopped = { _tag: "Lifecycle", request: { _tag: "Interrupt", taskId: id, reason: "user" } } as const
          const elsewhere = Context.get(
            yield* Layer.build(layerSqlite({ directory: world.home, kind: "other" })),
            TaskHistory
          )
          yield* elsewhere.commit([resumed])
          assert.deepInclude(yield* Effect.flip(engine.resume(id, {})), { rule: "Owned" })
          yield* elsewhere.commit([stopped])
          yield* history.commit([resumed])
          yield* audited(world)
          assert.deepInclude(yield* recordOf(id), {
            status: "interrupted",
            interruption: { reason: "crash", from: "active" }
          })
        })
      )
    })
  )
})
