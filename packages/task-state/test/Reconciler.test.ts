import { Reconcile, Reconciler } from "@belay/task-state"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { delegated, factsOf, finish, get, kill } from "./support/World.ts"

layer(Reconciler.layer)("Reconciler", (it) => {
  it.effect("finds the repairs that the plain function finds, and applies none", () =>
    Effect.gen(function* () {
      const reconciler = yield* Reconciler
      const world = delegated("a", "c")
      finish(world, "a", "c")
      kill(world, "a")
      const found = yield* reconciler.repairs(factsOf(world, "b"))
      assert.deepStrictEqual(
        found.map(({ taskId }) => String(taskId)),
        ["p"]
      )
      assert.deepStrictEqual(found, Reconcile.repairs(factsOf(world, "b")))
      assert.strictEqual(get(world, "p").status, "delegated")
    })
  )
})
