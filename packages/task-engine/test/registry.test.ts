/** What comes to a task while its runner ends because every subtask has stopped. */
import { TaskHistory } from "@belay/history-store"
import { type TaskId, TaskRecord } from "@belay/task-state"
import { Catalog, ToolCatalog } from "@belay/tool-executor"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { TaskEngine } from "../src/index.ts"
import { Journal } from "../src/active/Journal.ts"
import { type End, Loop } from "../src/loop/Loop.ts"
import { TaskRegistry } from "../src/active/Registry.ts"
import { RunnerPort } from "../src/active/RunnerPort.ts"
import { InPlay } from "../src/context/InPlay.ts"
import { ReportCollection } from "../src/reports/ReportCollection.ts"
import { CutOffCalls } from "../src/calls/CutOffCalls.ts"
import { InterruptAnywhere } from "../src/interrupt/InterruptAnywhere.ts"
import { InterruptHere } from "../src/interrupt/InterruptHere.ts"
import { InterruptSignal } from "../src/interrupt/InterruptSignal.ts"
import { GivingUp } from "../src/loop/GivingUp.ts"
import { Runner } from "../src/loop/Runner.ts"
import { fence, type ActiveTask } from "../src/active/ActiveTask.ts"
import { TaskScheduler } from "../src/active/Scheduler.ts"
import { calls, make, run, script } from "./world.ts"

type Parts = { readonly journal: Journal["Service"]; readonly registry: TaskRegistry["Service"] }

/** A runner of tasks with this loop, and no tools. */
const runnersOf = (loop: Loop["Service"]) =>
  Runner.layer.pipe(
    Layer.provide(Layer.mergeAll(InterruptHere.layer, InterruptSignal.layer, GivingUp.layer)),
    Layer.provide(Layer.mergeAll(InterruptAnywhere.layer, CutOffCalls.layer, ReportCollection.layer)),
    Layer.provide(InPlay.layer),
    Layer.provide(Layer.mergeAll(Layer.succeed(Loop, loop), Layer.succeed(ToolCatalog, Catalog.make([]))))
  )

/** Launches a task that waits; `late` comes once its runner has decided to end, and the entry is still there. */
const ending = (
  late: (parts: Parts, running: ActiveTask) => Effect.Effect<unknown, unknown>,
  prepare: (id: TaskId.TaskId) => Effect.Effect<unknown, never, TaskEngine> = () => Effect.void
) =>
  Effect.gen(function* () {
    const world = yield* make([
      script("root", calls(["new_task", { message: "part" }, "n1"])),
      script("part", calls(["ask_followup_question", { question: "which?" }, "q"]))
    ])
    return yield* world.session(
      Effect.gen(function* () {
        const { id, record } = yield* run(world.task("root"))
        assert.strictEqual(record.status, "delegated")
        yield* prepare(id)
        const engine = yield* Layer.build(
          Layer.fresh(
            TaskRegistry.layer.pipe(
              Layer.provideMerge(RunnerPort.layer),
              Layer.provideMerge(Layer.merge(Journal.layer, TaskScheduler.layer(1)))
            )
          )
        )
        const journal = Context.get(engine, Journal)
        const registry = Context.get(engine, TaskRegistry)
        const complete = (running: ActiveTask) =>
          journal.commit([
            {
              _tag: "Lifecycle",
              request: { _tag: "Complete", ...fence(running), outcome: "succeeded", result: "without it" }
            }
          ])
        const loop = Loop.of({
          run: (running) =>
            Effect.suspend((): Effect.Effect<End> =>
              running.record.status === "delegated"
                ? Effect.succeed({ _tag: "Waiting" })
                : Effect.as(Effect.orDie(complete(running)), { _tag: "Completed" })
            )
        })
        const runners = yield* Layer.build(Layer.fresh(runnersOf(loop))).pipe(
          // What serves the registry is below.
          Effect.provide(
            Context.add(engine, RunnerPort, RunnerPort.of({ run: () => Effect.never, serve: () => Effect.void }))
          )
        )
        const real = Context.get(runners, Runner)
        let runs = 0
        yield* Context.get(engine, RunnerPort).serve((running) =>
          Effect.tap(real.run(running), () =>
            ++runs === 1 ? Effect.orDie(late({ journal, registry }, running)) : Effect.void
          )
        )
        const ended = yield* Effect.flatten(registry.launch(id))
        assert.isUndefined(ended.failure)
        assert.deepStrictEqual({ endings: registry.endings(), runs }, { endings: 1, runs: 2 })
        const row = Option.getOrThrow(yield* (yield* TaskHistory).row(id))
        assert.isNull(row.lease)
        return row.record
      })
    )
  })

const abandon = ({ journal, registry }: Parts, running: ActiveTask) => {
  const [child] = TaskRecord.awaitedIds(running.record)
  if (child === undefined) return assert.fail("it waits for nothing")
  const request = { _tag: "Abandon", taskId: running.id, child } as const
  return Effect.andThen(journal.commit([{ _tag: "Lifecycle", request }]), registry.launch(running.id))
}

describe("a task whose runner ends because its subtasks have stopped", () => {
  it.live("goes on when it is released from the last one at that moment", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* ending(abandon), { status: "completed", result: "without it", attempt: 1 })
    })
  )

  it.live("goes on with the attempt that its runner has begun itself", () =>
    Effect.gen(function* () {
      const stopped = (id: TaskId.TaskId) => Effect.flatMap(TaskEngine, (engine) => engine.interrupt(id, "user"))
      assert.deepInclude(yield* ending(abandon, stopped), { status: "completed", result: "without it", attempt: 2 })
    })
  )

  it.live("is stopped when it is told to at that moment", () =>
    Effect.gen(function* () {
      const record = yield* ending(({ registry }, { id }) => registry.signal(id, { reason: "user" }))
      assert.deepInclude(record, { status: "interrupted", interruption: { reason: "user", from: "delegated" } })
    })
  )
})
