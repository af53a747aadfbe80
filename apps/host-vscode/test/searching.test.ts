import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import * as IconText from "../src/vscode/IconText.ts"
import * as Searching from "../src/vscode/Searching.ts"

describe("a search while a person types", () => {
  /** What was looked for, and what was shown of it. */
  const make = Effect.gen(function* () {
    const keys = yield* Queue.unbounded<string>()
    const changes = yield* Queue.unbounded<string>()
    const begun: Array<string> = []
    const shown: Array<string> = []
    const answers = new Map<string, Deferred.Deferred<void>>()
    const answerTo = (text: string): Deferred.Deferred<void> => {
      const known = answers.get(text) ?? Deferred.makeUnsafe<void>()
      answers.set(text, known)
      return known
    }
    const find = (text: string) =>
      Effect.gen(function* () {
        begun.push(text)
        yield* Deferred.await(answerTo(text))
        shown.push(text)
      })
    const following = { typed: Stream.fromQueue(keys), again: Stream.fromQueue(changes), find }
    yield* Effect.forkChild(Searching.follow(following), { startImmediately: true })
    const answer = (text: string) => Effect.andThen(Deferred.succeed(answerTo(text), undefined), TestClock.adjust(0))
    const type = (text: string) => Effect.andThen(Queue.offer(keys, text), TestClock.adjust(0))
    return { answer, begun, changes, shown, type }
  })

  it.effect("looks for what was typed last, and shows no older result after a newer one", () =>
    Effect.gen(function* () {
      const { answer, begun, shown, type } = yield* make
      yield* answer("")
      for (const text of ["n", "ne", "need"]) yield* type(text)
      yield* TestClock.adjust("60 millis")
      assert.deepStrictEqual(begun, ["", "need"])
      yield* type("needle")
      yield* TestClock.adjust("60 millis")
      yield* answer("needle")
      yield* answer("need")
      assert.deepStrictEqual(
        [begun, shown],
        [
          ["", "need", "needle"],
          ["", "needle"]
        ]
      )
    })
  )

  it.effect("looks again at once when the history has changed", () =>
    Effect.gen(function* () {
      const { answer, begun, changes, shown } = yield* make
      yield* answer("")
      yield* Queue.offer(changes, "")
      yield* TestClock.adjust(0)
      yield* answer("")
      assert.deepStrictEqual(
        [begun, shown],
        [
          ["", ""],
          ["", ""]
        ]
      )
    })
  )
})

describe("a text in a list", () => {
  it("has no icons, whatever a model has called a task", () => {
    assert.deepEqual(IconText.row({ label: "rm $(ls) $(sync~spin)", detail: "$(trash) <b>x</b>", other: 1 }), {
      label: "rm \\$(ls) \\$(sync~spin)",
      detail: "\\$(trash) <b>x</b>",
      other: 1
    })
    assert.equal(IconText.plain("cost: $(5 $ (a) $() \\"), "cost: $(5 $ (a) $() \\")
  })
})
