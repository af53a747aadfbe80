import { Usage } from "@belay/message-state"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { layerSqlite } from "./history.ts"
import * as Spending from "./spending.ts"
import { temporary } from "./temporary.ts"

const full = process.env["BELAY_PROOF"] !== undefined
/** How many processes at once, and how often one of them is killed. */
const sizes = full
  ? ([
      [2, 6],
      [5, 10],
      [8, 16]
    ] as const)
  : ([[2, 2]] as const)

const kinds = [
  ["requests", { maxRequests: 90 }],
  ["tokens", { maxTokens: 7000 }],
  ["cost", { maxCostUsd: 25 }],
  ["two limits", { maxRequests: 90, maxCostUsd: 20 }]
] as const
const limits = full ? kinds : kinds.filter(([what]) => what === "requests" || what === "two limits")

describe("processes that make ten calls each at once in one tree", () => {
  for (const [processes, kills] of sizes) {
    for (const [what, limited] of limits) {
      it.live(`never pass a limit together: ${what}, ${processes} processes, ${kills} kills`, () =>
        Effect.gen(function* () {
          const directory = yield* temporary
          const here = Effect.provide(layerSqlite({ directory, kind: "test" }))
          yield* here(Spending.tree(processes))
          const limit = { ...Spending.noLimits, ...limited }
          const { calls, refused } = yield* Spending.spend(directory, processes, kills, limit)
          const used = yield* here(Spending.used)
          assert.isAtMost(used.requests, limit.maxRequests ?? Infinity)
          assert.isAtMost(Usage.contextTokens(used), limit.maxTokens ?? Infinity)
          assert.isAtMost(used.costUsd ?? Infinity, limit.maxCostUsd ?? Infinity)
          // Every call that was made is counted, those of killed processes, too.
          assert.strictEqual(new Set(calls).size, calls.length)
          const made = used.requests - (1 + processes)
          assert.isAtMost(calls.length, made)
          // Who reserved and was killed before it said so counts as well.
          assert.isAtLeast(calls.length + kills * 10, made)
          assert.isAtLeast(refused.length, processes * 10 - kills * 10)
          const figure = `${processes} processes x 10 calls at once, ${kills} SIGKILL, limit of ${what}`
          process.stdout.write(`proof: ${figure} | ${calls.length} calls, ${refused.length} refused | never past\n`)
        })
      )
    }
  }
})
