/** What every history does with what model calls may take. */
import {
  type HistoryError,
  type Inbox,
  type Owner,
  type Reservation,
  type Step,
  TaskHistory
} from "@belay/history-store"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { commit, delegated, eventsOf, id, lifecycle, rowOf, started, turn, usage } from "./scenario.ts"

type Made = Layer.Layer<TaskHistory | Inbox | Owner, HistoryError.HistoryError>

const p = id("p")

const interrupt = (taskId: string) => lifecycle({ _tag: "Interrupt", taskId: id(taskId), reason: "user" })

export const reserving = (name: string, make: () => Made): void => {
  const test = (statement: string, body: Effect.Effect<void, unknown, TaskHistory | Inbox | Owner>) =>
    it.effect(statement, () => Effect.suspend(() => body.pipe(Effect.provide(make()))))

  describe(`reservations in ${name}`, () => {
    const most = { inputTokens: 20, outputTokens: 10, costUsd: 1 }
    const none = { maxRequests: null, maxTokens: null, maxCostUsd: null }
    /** A call of a subtask, by the limits of its parent. */
    const reserve = (
      call: string,
      changes: Partial<Reservation.Asked> = {},
      limits: Partial<Reservation.Limits> = {}
    ) =>
      TaskHistory.use((history) =>
        history.reserve({
          id: call,
          taskId: id("a"),
          attempt: 1,
          model: "m-1",
          ...most,
          scopes: [{ taskId: p, limits: { ...none, ...limits } }],
          ...changes
        })
      )
    const treeUsage = TaskHistory.use((history) => history.treeUsage(p))
    const both = commit(
      started("p"),
      delegated("p", 1, ["a", "b"]),
      lifecycle({ _tag: "Start", taskId: id("a") }),
      lifecycle({ _tag: "Start", taskId: id("b") })
    )

    test(
      "reserves what a call may take with what its tree has used and reserved, and refuses what would pass a limit",
      Effect.gen(function* () {
        yield* both
        // The delegation of the parent was an answer: one request, 20 tokens, half a dollar.
        const other = { taskId: id("b") }
        assert.deepStrictEqual(yield* reserve("1", {}, { maxRequests: 2 }), { _tag: "Reserved" })
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
          _tag: "Reserved"
        })
        // The answer takes the place of what was reserved for it, and the reservation made again is the same one.
        yield* commit(turn("a", 1, [{ callId: "c" }]))
        assert.deepStrictEqual(yield* reserve("2", other, { maxRequests: 3, maxTokens: 70 }), { _tag: "Reserved" })
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
