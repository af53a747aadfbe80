import { WaitingNotice } from "@belay/interaction/tasks"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"

const ask = (n: number): WaitingNotice.Waiting => ({ askId: `ask-${n}`, taskId: `task-${n}` })

/** What waits, what is quiet, and every list that was told. */
const make = Effect.gen(function* () {
  const open = new Set<number>([0])
  const quiet = new Set<string>()
  const told: Array<ReadonlyArray<string>> = []
  const look = yield* WaitingNotice.follow({
    open: () => [...open].map(ask),
    isQuiet: ({ taskId }) => quiet.has(taskId),
    tell: (all) => void told.push(all.map(({ askId }) => askId))
  })
  const opens = (...numbers: ReadonlyArray<number>) => {
    for (const n of numbers) open.add(n)
    look()
  }
  const answered = (n: number) => {
    open.delete(n)
    look()
  }
  return { answered, opens, quiet, told }
})

describe("a message that tasks wait", () => {
  it.effect("comes once, two seconds after the ask, and not for what waited before", () =>
    Effect.gen(function* () {
      const { opens, told } = yield* make
      opens(1)
      yield* TestClock.adjust("1999 millis")
      assert.deepStrictEqual(told, [])
      yield* TestClock.adjust("1 milli")
      assert.deepStrictEqual(told, [["ask-1"]])
      opens()
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(told, [["ask-1"]])
    })
  )

  it.effect("does not come when the ask was answered meanwhile, nor for a task that is shown or muted", () =>
    Effect.gen(function* () {
      const { answered, opens, quiet, told } = yield* make
      opens(1, 2)
      quiet.add("task-2")
      yield* TestClock.adjust("1 second")
      answered(1)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(told, [])
    })
  )

  it.effect("is one for all that wait by then", () =>
    Effect.gen(function* () {
      const { opens, told } = yield* make
      opens(1)
      yield* TestClock.adjust("1 second")
      opens(2, 3)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(told, [["ask-1", "ask-2", "ask-3"]])
    })
  )
})
