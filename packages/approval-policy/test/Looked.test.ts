import { Looked } from "@belay/approval-policy/facts"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"

describe("what is looked at once", () => {
  it("is kept by its whole key until it is forgotten, and never without one who keeps it", () => {
    const looked = Looked.make()
    let looks = 0
    const look = (by: Looked.Looked, ...key: ReadonlyArray<string>) => by.once(key, () => ++looks)
    assert.deepStrictEqual([look(looked, "a", "b"), look(looked, "a", "b"), look(looked, "a,b")], [1, 1, 2])
    looked.forget()
    assert.deepStrictEqual(
      [look(looked, "a", "b"), look(Looked.never, "a", "b"), look(Looked.never, "a", "b")],
      [3, 4, 5]
    )
  })

  it("may be nothing", () => {
    const looked = Looked.make()
    let looks = 0
    const nothing = () => looked.once(["a"], () => void looks++)
    nothing()
    nothing()
    assert.strictEqual(looks, 1)
  })

  it.effect("is asked again where there was no answer", () =>
    Effect.gen(function* () {
      const looked = Looked.make()
      let asks = 0
      const ask = looked.asked(
        ["a"],
        Effect.suspend(() => (++asks === 1 ? Effect.fail("busy") : Effect.succeed(asks)))
      )
      assert.strictEqual(yield* Effect.flip(ask), "busy")
      assert.deepStrictEqual([yield* ask, yield* ask], [2, 2])
      assert.throws(() => looked.once(["b"], () => assert.fail("gone")), "gone")
      assert.strictEqual(
        looked.once(["b"], () => "found"),
        "found"
      )
    })
  )
})
