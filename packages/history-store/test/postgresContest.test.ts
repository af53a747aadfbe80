import { TaskHistory } from "@belay/history-store"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Contest from "./contest.ts"
import { freshProject, layerPostgres, server, untilDead } from "./postgres.ts"
import { commit, created, id } from "./scenario.ts"
import * as Spending from "./spending.ts"

const full = process.env["BELAY_PROOF"] !== undefined
/** How many processes at once, and how often one of them is stopped or killed. */
const sizes = full ? [2, 5, 8] : [2]
const troubles = full ? 9 : 6
const roots = ["p", "q", "r"]

/** ms: more than a process is stopped here, or is kept waiting by a busy machine. */
const ttl = 6000

describe.skipIf(server === undefined)("processes that want the same tasks of one server", () => {
  for (const processes of sizes) {
    it.live(
      `${processes} of them, stopped and killed at random, lose no update and never run one task twice`,
      () => {
        const project = freshProject()
        const env = { BELAY_TEST_SERVER: server?.worker, BELAY_TEST_TTL: String(ttl) }
        return Effect.gen(function* () {
          yield* Effect.forEach(roots, (root) => commit(created(root)))
          const said = yield* Effect.scoped(Contest.contend(project, processes, troubles, env))
          yield* untilDead((yield* TaskHistory).owners)
          const { stored, taken, tasks } = yield* Contest.check(said)
          assert.isAbove(stored, 30)
          assert.isAbove(taken, 10)
          yield* Contest.finishAll(roots.map(id))
          const figure = `${troubles} SIGSTOP or SIGKILL, ${tasks} tasks, ${taken} leases, ${stored} results`
          process.stdout.write(`proof: ${processes} processes on one server | ${figure} | nothing lost or run twice\n`)
        }).pipe(Effect.provide(layerPostgres({ project, ttl })))
      },
      0
    )
  }
})

describe.skipIf(server === undefined)("processes that make ten calls each at once in one tree of a server", () => {
  it.live("never pass a limit together: cost, 3 processes", () => {
    const project = freshProject()
    return Effect.gen(function* () {
      yield* Spending.tree(3)
      const limit = { ...Spending.noLimits, maxCostUsd: 10 }
      const env = { BELAY_TEST_SERVER: server?.worker }
      const { calls, refused } = yield* Spending.spend(project, 3, 0, limit, env)
      const used = yield* Spending.used
      assert.isAtMost(used.costUsd ?? Infinity, limit.maxCostUsd)
      assert.strictEqual(calls.length, used.requests - 4)
      assert.strictEqual(refused.length, 30)
    }).pipe(Effect.provide(layerPostgres({ project })))
  })
})
