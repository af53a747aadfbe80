import { Protocol, TaskStateMachine } from "@belay/task-state"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { created } from "./support/records.ts"
import { delegated, id, viewOf } from "./support/World.ts"

layer(TaskStateMachine.layer)("TaskStateMachine", (it) => {
  it.effect("applies a command to a record of known status", () =>
    Effect.gen(function* () {
      const machine = yield* TaskStateMachine
      const started = yield* machine.transition(created, { _tag: "Start" })
      assert.strictEqual(started.status satisfies "active", "active")
      // @ts-expect-error a created task is started, not resumed
      const refused = yield* Effect.flip(machine.transition(created, { _tag: "Resume" }))
      assert.strictEqual(refused.rule, "UseStart")
    })
  )

  it.effect("decides as the plain function does, and fails with the rule", () =>
    Effect.gen(function* () {
      const machine = yield* TaskStateMachine
      const view = viewOf(delegated("a", "c"), "a")
      const start = { _tag: "Start", taskId: id("c") } as const
      const decision = yield* machine.decide(view, start)
      assert.strictEqual(decision.changes.length, 1)
      const error = yield* Effect.flip(machine.decide(view, { _tag: "Start", taskId: id("nobody") }))
      assert.strictEqual(error._tag, "TransitionRejected")
      assert.strictEqual(error.rule, "NotFound")
      assert.strictEqual(error.message, "Start is not possible on task nobody: there is no such task")
      assert.deepStrictEqual(yield* machine.decide(view, { _tag: "Resume", taskId: id("p") }), Protocol.nothing)
    })
  )
})
