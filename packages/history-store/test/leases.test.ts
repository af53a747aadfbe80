import { TaskHistory } from "@belay/history-store"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Random } from "effect"
import { TestClock } from "effect/testing"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { layerSqlite } from "./history.ts"
import { commit, completed, id, lifecycle, rowOf, started, statusOf } from "./scenario.ts"
import { temporary } from "./temporary.ts"

/** Waits of whole milliseconds, as the clock of a test counts them. */
const even = Effect.provideService(Random.Random, { nextIntUnsafe: () => 0, nextDoubleUnsafe: () => 0.5 })

const open = (directory: string) => layerSqlite({ directory, kind: "test" })

/** Another connection that keeps the write lock until it is closed. */
const locked = (directory: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const db = new DatabaseSync(join(directory, "belay.db"))
      db.exec("BEGIN IMMEDIATE")
      return { free: Effect.sync(() => db.exec("ROLLBACK")), db }
    }),
    ({ db }) => Effect.sync(() => db.close())
  )

describe("a lease of this process", () => {
  it.effect("is left to a task that is taken while a look at the runners waits for another process", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* Effect.gen(function* () {
        const history = yield* TaskHistory
        yield* commit(started("p"))
        const { free } = yield* locked(directory)
        const look = yield* Effect.forkChild(even(history.reconcile(new Set([id("p")]))), { startImmediately: true })
        yield* free
        yield* commit(started("q"))
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual((yield* Fiber.join(look)).repairs, [])
        assert.strictEqual(yield* statusOf("q"), "active")
        yield* commit(completed("q", 1))
        // A look that begins now is told of every runner there is.
        yield* commit(started("r"))
        const { repairs } = yield* history.reconcile(new Set([id("p")]))
        assert.deepStrictEqual(
          repairs.map(({ rule, taskId }) => `${rule} ${taskId}`),
          ["runnerGone r"]
        )
      }).pipe(Effect.provide(open(directory)))
    })
  )

  it.effect("is not taken from it although a process that saw it dead has removed its registration", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* Effect.gen(function* () {
        yield* commit(started("p"))
        // The other process probed between two threads of this one, and wrote when the second had registered.
        const db = new DatabaseSync(join(directory, "belay.db"))
        db.exec("DELETE FROM lease; DELETE FROM owner")
        db.close()
        yield* commit(lifecycle({ _tag: "Resume", taskId: id("p") }))
        yield* Effect.gen(function* () {
          const other = yield* TaskHistory
          assert.deepStrictEqual((yield* other.reconcile(new Set())).repairs, [])
          const lease = (yield* rowOf("p")).lease
          assert.deepStrictEqual([lease?.alive, lease?.ownerId === other.me], [true, false])
        }).pipe(Effect.provide(open(directory), { local: true }))
        yield* commit(completed("p", 2))
      }).pipe(Effect.provide(open(directory)))
    })
  )
})
