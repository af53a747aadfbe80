import { type HistoryError, type Inbox, type Ownership, TaskHistory } from "@belay/history-store"
import { contract } from "@belay/history-store/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layerMemory } from "./history.ts"

/** Says that a request was carried out, and does not write that down. */
const forgetting: Layer.Layer<TaskHistory | Inbox | Ownership, HistoryError.HistoryError> = Layer.effect(
  TaskHistory,
  TaskHistory.use((history) =>
    Effect.succeed({
      ...history,
      commit: (steps) => history.commit(steps.filter(({ _tag }) => _tag !== "RequestApplied"))
    })
  )
).pipe(Layer.provideMerge(layerMemory))

describe("the contract of a history", () => {
  it("is not fulfilled by one that forgets what it said it had done", async () => {
    const tests: Array<readonly [statement: string, test: () => Promise<void>]> = []
    const runner = {
      describe: (_: string, body: () => void) => body(),
      it: (statement: string, test: () => Promise<void>) => tests.push([statement, test])
    }
    contract(runner, "forgetting", () => forgetting)
    const failed: Array<string> = []
    for (const [statement, test] of tests) await test().catch(() => failed.push(statement))
    assert.include(
      failed,
      "keeps a request to the owner of a task once, for the attempt it is meant for, until it is carried out"
    )
    assert.isBelow(failed.length, tests.length)
  })
})
