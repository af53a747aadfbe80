import { TaskHistory } from "@belay/history-store"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { layerMemory } from "./history.ts"
import { commit, started } from "./scenario.ts"

it.effect("a change that took its time before it waited for a lock of the file is told once more", () =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    yield* TestClock.adjust("1 hour")
    yield* commit(started("p"))
    yield* TestClock.adjust("10 seconds")
    const first = yield* history.changedSince(0)
    yield* TestClock.adjust("1 hour")
    const again = yield* history.changedSince(first.version)
    assert.deepStrictEqual([again.tasks.length, again.tasks], [1, first.tasks])
    assert.deepStrictEqual((yield* history.changedSince(again.version)).tasks, [])
  }).pipe(Effect.provide(layerMemory))
)
