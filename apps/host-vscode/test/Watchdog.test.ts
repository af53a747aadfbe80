import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { follow, type Step, Watchdog } from "../src/conversation/page/Watchdog.ts"

const steps = (dog: Watchdog, count: number): ReadonlyArray<Step> => Array.from({ length: count }, () => dog.step())
const asks = (count: number): ReadonlyArray<Step> => Array.from({ length: count }, () => "ask")

describe("a view that does not answer", () => {
  it.effect("gets another frame within 9 seconds of its last answer, and not for 7 of them", () =>
    Effect.gen(function* () {
      const dog = new Watchdog()
      const done: Array<Step> = []
      const note = (step: Step) => () => void done.push(step)
      const does = { ask: note("ask"), reload: note("reload"), renew: note("renew"), tell: note("tell") }
      yield* Effect.forkChild(follow(dog, () => true, does))
      yield* TestClock.adjust("1 second")
      dog.answered()
      yield* TestClock.adjust("7 seconds")
      assert.deepStrictEqual(done, asks(6))
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(done, [...asks(6), "renew"])
    })
  )

  it("gets one other frame, and when that does not help the person is told, once", () => {
    const dog = new Watchdog()
    dog.answered()
    assert.deepStrictEqual(steps(dog, 12), [...asks(5), "renew", ...asks(5), "tell"])
    assert.deepStrictEqual(steps(dog, 50), asks(50))
  })

  it("is loaded anew first when it has never answered, after more time, and has all of it again once it has", () => {
    const dog = new Watchdog()
    assert.deepStrictEqual(steps(dog, 33), [...asks(20), "reload", ...asks(5), "renew", ...asks(5), "tell"])
    dog.answered()
    for (let n = 0; n < 50; n += 1) {
      assert.strictEqual(dog.step(), "ask")
      dog.answered()
    }
    dog.began()
    assert.deepStrictEqual(steps(dog, 20), asks(20))
  })

  it("is said once to have been revived", () => {
    const dog = new Watchdog()
    dog.answered()
    assert.isFalse(dog.wasRevived())
    steps(dog, 6)
    dog.answered()
    assert.deepStrictEqual([dog.wasRevived(), dog.wasRevived()], [true, false])
  })
})
