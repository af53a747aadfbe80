import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import * as InputGuard from "../src/vscode/InputGuard.ts"

describe("the dead time of a list", () => {
  it.effect("takes nothing for 400 ms after it appeared, and again after the window got the focus", () =>
    Effect.gen(function* () {
      const dead = yield* InputGuard.begin
      yield* TestClock.adjust("399 millis")
      assert.isFalse(dead.isOver())
      yield* TestClock.adjust("1 milli")
      assert.isTrue(dead.isOver())
      dead.restart()
      assert.isFalse(dead.isOver())
      yield* TestClock.adjust("400 millis")
      assert.isTrue(dead.isOver())
    })
  )
})
