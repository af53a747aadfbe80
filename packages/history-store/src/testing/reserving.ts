/** What every history does with what model calls may take. */
import type * as Reservation from "../history/Reservation.ts"
import type * as Step from "../history/Step.ts"
import { TaskHistory } from "../history/TaskHistory.ts"
import * as assert from "./assertions.ts"
import * as Effect from "effect/Effect"
import * as Scenario from "./scenario.ts"
import { commit, delegated, eventsOf, id, lifecycle, rowOf, started, turn, usage } from "./scenario.ts"
import { interrupt, type Made, p, type Runner, testing } from "./contract.ts"

export const reserving = (runner: Runner, name: string, make: () => Made): void => {
  const { describe, test } = testing(runner, make)

  describe(`reservations in ${name}`, () => {
    const most = { inputTokens: 20, outputTokens: 10, costUsd: 1 }
    const none = { maxRequests: null, maxTokens: null, maxCostUsd: null }
    /** A call of a subtask, by the limits of its parent. */
    const reserve = (
      call: string,
      changes: Partial<Reservation.Asked> = {},
      limits: Partial<Reservation.Limits> = {}
    ) =>
      Scenario.reserve({
        id: call,
        taskId: id("a"),
        attempt: 1,
        model: "m-1",
        ...most,
        scopes: [{ taskId: p, limits: { ...none, ...limits } }],
        ...changes
      })
    const treeUsage = TaskHistory.use((history) => history.treeUsage(p))
    const both = commit(
      started("p"),
      delegated("p", 1, ["a", "b"]),
      lifecycle({ _tag: "Start", taskId: id("a") }),
      lifecycle({ _tag: "Start", taskId: id("b") })
    )

    // A dollar for 10,000 tokens of output, beside ten cents for the prompt.
    const costOf = (tokens: number) => 0.1 + tokens / 10_000
    const divisible = (limits: Partial<Reservation.Limits>, outputTokens = 10_000) => {
      const least = { outputTokens: 100, costUsd: costOf(100), fair: 1000 }
      return reserve("1", { outputTokens, costUsd: costOf(outputTokens), least }, limits)
    }

    test(
      "gives a call that is made with less what the limits leave: all of it, a quarter, or what is fair, in that order",
      Effect.gen(function* () {
        // Half a dollar is used.
        yield* both
        const given = (limits: Partial<Reservation.Limits>, outputTokens?: number) =>
          Effect.map(divisible(limits, outputTokens), (found) =>
            found._tag === "Reserved" ? Math.round(found.outputTokens / 10) * 10 : found.limit
          )
        assert.deepStrictEqual(yield* given({}), 10_000)
        assert.deepStrictEqual(yield* given({ maxCostUsd: 10 }), 10_000)
        assert.deepStrictEqual(yield* given({ maxCostUsd: 1.4 }), 2000)
        assert.deepStrictEqual(yield* given({ maxCostUsd: 0.8 }), 1000)
        assert.deepStrictEqual(yield* given({ maxCostUsd: 0.65 }), 500)
        assert.deepStrictEqual(yield* given({ maxCostUsd: 0.6 }), "cost")
        assert.deepStrictEqual(yield* given({ maxTokens: 840 }), 800)
        assert.deepStrictEqual(yield* given({ maxCostUsd: 10 }, 100), 100)
      })
    )

    test(
      "counts for others what a call was given, no more and no less",
      Effect.gen(function* () {
        yield* both
        yield* divisible({ maxCostUsd: 0.65 })
        const other = { taskId: id("b"), inputTokens: 0, outputTokens: 0, costUsd: 0.01 }
        assert.deepInclude(yield* reserve("2", other, { maxCostUsd: 0.655 }), { _tag: "Refused", limit: "cost" })
        assert.deepInclude(yield* reserve("2", other, { maxCostUsd: 0.665 }), { _tag: "Reserved" })
      })
    )

    test(
      "reserves what a call may take with what its tree has used and reserved, and refuses what would pass a limit",
      Effect.gen(function* () {
        yield* both
        // The delegation of the parent was an answer: one request, 20 tokens, half a dollar.
        const other = { taskId: id("b") }
        assert.deepStrictEqual(yield* reserve("1", {}, { maxRequests: 2 }), { _tag: "Reserved", outputTokens: 10 })
        const refusals = [
          ["requests", { maxRequests: 2 }, {}],
          ["tokens", { maxTokens: 79 }, {}],
          ["cost", { maxCostUsd: 2.4 }, {}],
          ["price", { maxCostUsd: 100 }, { costUsd: null }]
        ] as const
        for (const [limit, limits, changes] of refusals) {
          const refused = yield* reserve("2", { ...other, ...changes }, limits)
          if (refused._tag !== "Refused") return assert.fail(limit)
          assert.deepStrictEqual([refused.limit, refused.by], [limit, p])
          assert.deepStrictEqual([refused.used.requests, refused.used.costUsd], [1, 0.5])
          assert.deepStrictEqual([refused.open.requests, refused.open.costUsd], [1, 1])
        }
        assert.deepStrictEqual(yield* reserve("2", other, { maxRequests: 3, maxTokens: 80, maxCostUsd: 2.5 }), {
          _tag: "Reserved",
          outputTokens: 10
        })
        // The answer takes the place of what was reserved for it, and the reservation made again is the same one.
        yield* commit(turn("a", 1, [{ callId: "c" }]))
        assert.deepStrictEqual(yield* reserve("2", other, { maxRequests: 3, maxTokens: 70 }), {
          _tag: "Reserved",
          outputTokens: 10
        })
        assert.strictEqual((yield* reserve("3", {}, { maxRequests: 3 }))._tag, "Refused")
        assert.strictEqual((yield* treeUsage).requests, 2)
      })
    )

    test(
      "counts a call that brought no answer as what it took, once, or not at all, whoever has the task",
      Effect.gen(function* () {
        yield* both
        const over = (reservation: string, took: boolean): Step.Step => ({
          _tag: "Unanswered",
          taskId: id("a"),
          reservation,
          model: "m-1",
          costUsd: 0.25,
          ...(took ? { usage } : {})
        })
        yield* reserve("1")
        yield* commit([over("1", false)])
        assert.deepInclude(yield* treeUsage, { requests: 1, costUsd: 0.5 })
        yield* reserve("2")
        yield* commit(interrupt("a"))
        const { events } = yield* commit([over("2", true)])
        assert.deepInclude(events[0], { type: "usage", ...usage, costUsd: 0.25, partial: true })
        assert.deepInclude((yield* eventsOf("a")).at(-1), { type: "usage", ...usage, costUsd: 0.25, partial: true })
        yield* commit([over("2", true)])
        assert.deepInclude(yield* treeUsage, { requests: 2, costUsd: 0.75 })
        assert.strictEqual((yield* rowOf("a")).contextTokens, 0)
      })
    )

    test(
      "counts all that a call may have taken when its task makes another one without it, or is deleted",
      Effect.gen(function* () {
        yield* both
        yield* reserve("1")
        yield* reserve("2")
        assert.deepInclude(yield* treeUsage, { requests: 2, costUsd: 1.5 })
        yield* commit(interrupt("a"))
        assert.strictEqual((yield* Effect.flip(reserve("3")))._tag, "TransitionRejected")
        yield* commit(lifecycle({ _tag: "Abandon", taskId: p, child: id("a") }))
        yield* commit(lifecycle({ _tag: "Delete", taskId: id("a"), subtasks: "keep" }))
        assert.deepInclude(yield* treeUsage, { requests: 3, costUsd: 2.5 })
        const history = yield* TaskHistory
        assert.deepStrictEqual((yield* history.reconcile(new Set([p, id("b")]))).repairs, [])
      })
    )
  })
}
