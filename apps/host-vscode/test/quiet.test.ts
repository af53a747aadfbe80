import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import * as TypingIdle from "../src/vscode/TypingIdle.ts"

describe("what opens by itself", () => {
  it.effect("waits until no key was pressed for a second and a half, and for nothing where none was", () =>
    Effect.gen(function* () {
      const { quiet, touched } = yield* TypingIdle.make
      yield* quiet
      let opened = false
      touched()
      const opening = yield* Effect.forkChild(
        Effect.andThen(
          quiet,
          Effect.sync(() => (opened = true))
        )
      )
      yield* TestClock.adjust("1 second")
      touched()
      yield* TestClock.adjust("1499 millis")
      assert.isFalse(opened)
      yield* TestClock.adjust("1 milli")
      yield* Fiber.join(opening)
      assert.isTrue(opened)
    })
  )
})
