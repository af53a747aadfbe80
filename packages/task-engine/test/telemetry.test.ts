import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TaskEngine, type Telemetry } from "../src/index.ts"
import { calls, completes, make, recorded, resume, run, script } from "./world.ts"

/** A port that keeps what it gets, without times. */
const counting = () => {
  const got: Array<unknown> = []
  const telemetry: Telemetry.Telemetry = {
    record: ({ at, ...event }) => {
      assert.isAbove(at, 0)
      got.push(event)
    }
  }
  return { got, telemetry }
}

const list = (task_progress: string) => calls(["list_files", { path: ".", task_progress }])

const plans = calls(["plan_mode_respond", { response: "First this, then that." }])

describe("the telemetry of a host", () => {
  it.live("receives each change of the checklist, each switch of mode and each end of a task, in their order", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "do it",
          list("- [ ] first\n- [ ] second"),
          plans,
          list("- [x] first\n- [ ] second"),
          completes("secret words")
        )
      ])
      const { got, telemetry } = counting()
      const taskId = yield* world.session(
        Effect.gen(function* () {
          const { id } = yield* run(world.task("do it", { mode: "plan" }))
          yield* resume(id, { mode: "act" })
          return id
        }),
        { telemetry }
      )
      assert.deepStrictEqual(got, [
        { _tag: "FocusChainUpdated", taskId, total: 2, done: 0, by: "model" },
        { _tag: "ModeSwitched", taskId, from: "plan", to: "act", by: "user" },
        { _tag: "FocusChainUpdated", taskId, total: 2, done: 1, by: "model" },
        { _tag: "TaskCompleted", taskId, outcome: "succeeded" }
      ])
    })
  )

  it.live("receives a switch of a task that is stopped and stays so", () =>
    Effect.gen(function* () {
      const world = yield* make([script("plan it", plans)])
      const { got, telemetry } = counting()
      yield* world.session(
        Effect.gen(function* () {
          const { id } = yield* run(world.task("plan it", { mode: "plan" }))
          yield* (yield* TaskEngine).visit(id, { mode: "act" })
          assert.deepStrictEqual(got, [{ _tag: "ModeSwitched", taskId: id, from: "plan", to: "act", by: "user" }])
        }),
        { telemetry }
      )
    })
  )

  it.live("stops no task by failing, and nothing is told of it", () =>
    Effect.gen(function* () {
      const world = yield* make([script("do it", completes("done"))])
      const failing: Telemetry.Telemetry = {
        record: () => {
          throw new Error("the counter is down")
        }
      }
      yield* world.session(
        Effect.gen(function* () {
          const seen = yield* recorded
          const { record } = yield* run(world.task("do it"))
          assert.strictEqual(record.status, "completed")
          assert.deepStrictEqual(
            seen.filter(({ type }) => type === "error"),
            []
          )
        }),
        { telemetry: failing }
      )
    })
  )
})
