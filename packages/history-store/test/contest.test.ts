import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { layerSqlite } from "./history.ts"
import * as Contest from "./contest.ts"
import { commit, created, id } from "./scenario.ts"
import { temporary } from "./temporary.ts"

const full = process.env["BELAY_PROOF"] !== undefined
/** How many processes at once, and how often one of them is stopped or killed. */
const sizes = full ? [2, 5, 8] : [2]
const troubles = 9
const roots = ["p", "q", "r"]

describe("processes that want the same tasks", () => {
  for (const processes of sizes) {
    it.live(
      `${processes} of them, stopped and killed at random, lose no update and never run one task twice`,

      () =>
        Effect.gen(function* () {
          const directory = yield* temporary
          const here = Effect.provide(layerSqlite({ directory, kind: "test" }))
          yield* here(Effect.forEach(roots, (root) => commit(created(root))))
          const said = yield* Effect.scoped(Contest.contend(directory, processes, troubles))
          const { stored, taken, tasks } = yield* here(Contest.check(said))
          assert.isAbove(stored, 50)
          assert.isAbove(taken, 20)
          yield* here(Contest.finishAll(roots.map(id)))
          const figure = `${troubles} SIGSTOP or SIGKILL, ${tasks} tasks, ${taken} leases, ${stored} results`
          process.stdout.write(`proof: ${processes} processes on one store | ${figure} | nothing lost or run twice\n`)
        }),
      0
    )
  }
})
