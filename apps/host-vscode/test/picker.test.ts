import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { beforeEach, vi } from "vitest"
import * as Picker from "../src/vscode/Picker.ts"
import * as StandIn from "./vscode/StandIn.ts"

vi.mock("vscode", () => import("./vscode/StandIn.ts"))

describe("a list with answers", () => {
  beforeEach(() => void StandIn.renew())

  it.effect("looks in its first rows like something that is said, from which no key leads to an answer", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(
        Picker.choose({
          title: "Always allow",
          about: [Picker.said("In the folder"), Picker.said("It holds for every task")],
          items: [{ label: "Allow it here", choice: "yes" }]
        })
      )
      yield* TestClock.adjust("1 second")
      const picker = StandIn.editor.picker
      const [first, second, , answer] = picker?.items ?? []
      assert.deepEqual(
        [first?.iconPath, second?.iconPath].map((icon) => icon?.id),
        ["info", "info"]
      )
      assert.isUndefined(answer?.iconPath)
      picker?.accept("In the folder")
      assert.isUndefined(fiber.pollUnsafe())
      assert.deepEqual(picker?.activeItems ?? [], [])
      picker?.accept("Allow it here")
      assert.equal(yield* Fiber.join(fiber), "yes")
    })
  )

  it.effect("is answered by no key of somebody who types on, however long", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(
        Picker.choose({
          title: "needs you",
          about: [Picker.said("Run it")],
          items: [{ label: "1  Allow once", choice: "yes" }]
        })
      )
      yield* TestClock.adjust("1 second")
      const picker = StandIn.editor.picker
      for (let at = 0; at < 5; at++) {
        // What fits is put first and chosen by the editor.
        picker?.type("1")
        yield* TestClock.adjust("399 millis")
        picker?.accept("1  Allow once")
        assert.isUndefined(fiber.pollUnsafe())
        yield* TestClock.adjust("1 second")
        picker?.accept("Run it")
        assert.isUndefined(fiber.pollUnsafe())
      }
      picker?.accept("1  Allow once")
      assert.equal(yield* Fiber.join(fiber), "yes")
    })
  )
})
