/** Requests to the protocol that its tests share. */
import { Protocol } from "@belay/task-state"
import { assert } from "@effect/vitest"
import { decide, ruleOf } from "./decide.ts"
import { id, viewOf, type World } from "./World.ts"

export const p = id("p")

export const c = id("c")

export const complete = (name: string, attempt: number): Protocol.Request => ({
  _tag: "Complete",
  taskId: id(name),
  attempt,
  outcome: "succeeded",
  result: "done"
})

export const rule = (world: World, me: string, request: Protocol.Request) => ruleOf(viewOf(world, me), request)

export const isNothing = (world: World, me: string, request: Protocol.Request) =>
  assert.deepStrictEqual(decide(viewOf(world, me), request), Protocol.nothing)

export const abandon = (name = "c"): Protocol.Request => ({ _tag: "Abandon", taskId: p, child: id(name) })
