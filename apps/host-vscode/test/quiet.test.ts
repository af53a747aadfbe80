import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { ChecklistEdits } from "../src/checklist/ChecklistEdits.ts"
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

describe("when a person changed an item", () => {
  const item = (state: "open" | "done") => ({ id: "one", text: "Write it", state })
  const mine = new Set(["one"])

  it("is the first time that it was seen like that, and not known of what was so before", () => {
    const moments = new ChecklistEdits()
    moments.note("task", { items: [item("open")], mine }, 1)
    assert.deepEqual(moments.of("task", "one")?.at, undefined)
    moments.note("task", { items: [item("done")], mine }, 2)
    moments.note("task", { items: [item("done")], mine }, 3)
    assert.equal(moments.of("task", "one")?.at, 2)
    assert.isUndefined(moments.of("other", "one"))
  })

  it("is forgotten when the model knows of it", () => {
    const moments = new ChecklistEdits()
    moments.note("task", { items: [item("open")], mine: new Set() }, 1)
    moments.note("task", { items: [item("done")], mine }, 2)
    moments.note("task", { items: [item("done")], mine: new Set() }, 3)
    assert.isUndefined(moments.of("task", "one"))
  })
})
