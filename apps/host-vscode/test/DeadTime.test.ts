import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as InputGuard from "../src/vscode/InputGuard.ts"

it.effect("the time in which no key counts lasts 400 ms, and begins anew with every key and with the focus", () =>
  Effect.gen(function* () {
    const dead = yield* InputGuard.begin
    yield* TestClock.adjust("399 millis")
    assert.isFalse(dead.isOver())
    dead.restart()
    yield* TestClock.adjust("399 millis")
    assert.isFalse(dead.isOver())
    yield* TestClock.adjust("1 millis")
    assert.isTrue(dead.isOver())
  })
)
