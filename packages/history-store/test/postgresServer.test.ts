/** What several processes of one server may rely on, whatever becomes of them, of their clocks and of the server. */
import { TaskHistory } from "@belay/history-store"
import { migrate } from "@belay/history-store/postgres"
import { PgConnection } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Option, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import { type Admin, admin, freshProject, layerPostgres, type Options, server } from "./postgres.ts"
import { interrupt, p, ruleOf } from "./contract.ts"
import * as Proxy from "./proxy.ts"
import { commit, created, eventsOf, lifecycle, messagesOf, rowOf, settled, started, turn } from "./scenario.ts"

const long = "clock_timestamp() - interval '1 hour'"

/** Everybody of a project but the one with this id was seen an hour ago, for the last time. */
const silence = (ask: Admin, project: string, but: string) =>
  ask(`UPDATE owner SET seen_at = ${long}, beating_since = ${long} WHERE project = $1 AND owner_id <> $2`, [
    project,
    but
  ])

/** The one with this id has been seen for an hour. */
const steady = (ask: Admin, project: string, owner: string) =>
  ask(`UPDATE owner SET beating_since = ${long} WHERE project = $1 AND owner_id = $2`, [project, owner])

const reconcile = TaskHistory.use((history) => history.reconcile(new Set()))
const me = TaskHistory.use((history) => Effect.succeed(history.me))
const resume = lifecycle({ _tag: "Resume", taskId: p })

/** Processes of one project, of which no beat comes between what a test says of them. */
const made = Effect.gen(function* () {
  const project = freshProject()
  return { project, ask: yield* admin, layer: () => layerPostgres({ project, ttl: 600_000 }) }
})

describe.skipIf(server === undefined)("processes on one server", () => {
  it.live("take a task over from one that is not seen any more, whose late write is refused", () =>
    Effect.gen(function* () {
      const { ask, layer, project } = yield* made
      yield* Effect.gen(function* () {
        yield* commit(started("p"))
        const other = yield* Effect.gen(function* () {
          yield* silence(ask, project, yield* me)
          yield* steady(ask, project, yield* me)
          const { repairs } = yield* reconcile
          yield* commit(resume)
          return repairs.map(({ rule }) => rule)
        }).pipe(Effect.provide(layer()))
        assert.deepStrictEqual(other, ["ownerGone"])
        assert.strictEqual(yield* ruleOf(commit(turn("p", 1, [{ callId: "c" }]))), "LeaseLost")
      }).pipe(Effect.provide(layer()))
    })
  )

  it.live("declare nobody dead before they were seen themselves for as long, as after an outage of the server", () =>
    Effect.gen(function* () {
      const { ask, layer, project } = yield* made
      yield* Effect.gen(function* () {
        yield* commit(started("p"))
        yield* Effect.gen(function* () {
          yield* silence(ask, project, yield* me)
          assert.deepStrictEqual((yield* reconcile).repairs, [])
          assert.strictEqual(yield* ruleOf(commit(resume)), "Owned")
          assert.isTrue((yield* rowOf("p")).lease?.alive)
          yield* steady(ask, project, yield* me)
          assert.isFalse((yield* rowOf("p")).lease?.alive)
          yield* commit(resume)
        }).pipe(Effect.provide(layer()))
      }).pipe(Effect.provide(layer()))
    })
  )

  it.effect("take nobody over and miss no change when their clock is an hour ahead, or behind", () =>
    Effect.gen(function* () {
      const { ask, layer, project } = yield* made
      yield* TestClock.adjust("10 hours")
      yield* Effect.gen(function* () {
        yield* commit(started("p"))
        for (const hours of [11, 9]) {
          yield* TestClock.setTime(hours * 3_600_000)
          yield* Effect.gen(function* () {
            yield* steady(ask, project, yield* me)
            const history = yield* TaskHistory
            const { version } = yield* history.changedSince(0)
            const { repairs } = yield* reconcile
            assert.isFalse(repairs.some(({ taskId }) => taskId === p))
            assert.strictEqual(yield* ruleOf(commit(resume)), "Owned")
            yield* commit(created(`at-${hours}`))
            assert.include(
              (yield* history.changedSince(version)).tasks.map((task) => String(task.id)),
              `at-${hours}`
            )
          }).pipe(Effect.provide(layer()))
        }
      }).pipe(Effect.provide(layer()))
    })
  )

  it.live("are told of a change that began before another one and was made after it", () =>
    Effect.gen(function* () {
      const { ask, layer, project } = yield* made
      yield* Effect.gen(function* () {
        yield* commit(started("p"), started("q"))
        const history = yield* TaskHistory
        yield* ask("BEGIN")
        yield* ask("UPDATE task_metric SET message_count = message_count WHERE project = $1", [project])
        yield* commit(created("r"))
        const { version } = yield* history.changedSince(0)
        yield* ask("COMMIT")
        const { tasks } = yield* history.changedSince(version)
        assert.includeMembers(
          tasks.map((task) => String(task.id)),
          ["p", "q"]
        )
      }).pipe(Effect.provide(layer()))
    })
  )

  it.live("wait for who writes the same tree, and for nobody else", () =>
    Effect.gen(function* () {
      const { ask, layer, project } = yield* made
      yield* Effect.gen(function* () {
        yield* commit(started("p"), started("q"))
        yield* ask("BEGIN")
        yield* ask("SELECT pg_advisory_xact_lock(hashtextextended($1, 1))", [`${project} p`])
        const waits = yield* Effect.forkChild(commit(turn("p", 1, [{ callId: "c" }])))
        yield* commit(turn("q", 1, [{ callId: "d" }]), settled("q", 1, { callId: "d", text: "done" }))
        assert.isUndefined(waits.pollUnsafe())
        yield* ask("COMMIT")
        assert.isTrue(Exit.isSuccess(yield* Fiber.await(waits)))
      }).pipe(Effect.provide(layer()))
    })
  )

  it.live("store each commit once whose connection was lost, before it arrived or before its answer came", () =>
    Effect.gen(function* () {
      const address = new URL(server?.worker ?? "")
      const proxy = yield* Effect.acquireRelease(
        Effect.promise(() => Proxy.open(Number(address.port))),
        (open) => Effect.promise(open.close)
      )
      address.port = String(proxy.port)
      yield* Effect.gen(function* () {
        yield* commit(started("p"))
        const before = (yield* messagesOf("p")).length
        for (let n = 0; n < 6; n++) {
          proxy.breaks.push(n % 2 === 0 ? "answer" : "request")
          yield* commit(turn("p", 1, [{ callId: `c${n}` }]), settled("p", 1, { callId: `c${n}`, text: "done" }))
        }
        assert.deepStrictEqual([proxy.breaks, (yield* messagesOf("p")).length - before], [[], 12])
        const seqs = (yield* eventsOf("p")).map(({ seq }) => seq)
        assert.deepStrictEqual(
          seqs,
          seqs.map((_, at) => at + 1)
        )
      }).pipe(Effect.provide(layerPostgres({ url: address.href })))
    })
  )

  it.live("hear of what another one wrote", () =>
    Effect.gen(function* () {
      const { layer } = yield* made
      yield* Effect.gen(function* () {
        const history = yield* TaskHistory
        yield* commit(started("p"))
        const before = yield* history.version
        yield* commit(started("q")).pipe(Effect.provide(layer()))
        const heard = Stream.fromEffectRepeat(Effect.delay(history.version, "5 millis"))
        yield* Stream.runDrain(Stream.takeUntil(heard, (now) => now !== before))
      }).pipe(Effect.provide(layer()))
    })
  )
})

describe.skipIf(server === undefined)("a project on a server", () => {
  it.live("shows nothing of another one's tasks to who knows their ids, and takes no write to them", () =>
    Effect.gen(function* () {
      yield* Effect.gen(function* () {
        yield* commit(started("p"))
        yield* Effect.gen(function* () {
          const history = yield* TaskHistory
          assert.isTrue(Option.isNone(yield* history.row(p)))
          assert.deepStrictEqual([yield* history.find("p", 9), (yield* history.owners).length], [[], 1])
          assert.strictEqual(yield* ruleOf(commit(interrupt("p"))), "NotFound")
          yield* commit(started("p"))
          assert.strictEqual((yield* rowOf("p")).record.attempt, 1)
        }).pipe(Effect.provide(layerPostgres()))
        assert.strictEqual((yield* rowOf("p")).record.status, "active")
        yield* commit(turn("p", 1, [{ callId: "c" }]))
      }).pipe(Effect.provide(layerPostgres()))
    })
  )
})

describe.skipIf(server === undefined)("a server", () => {
  const opened = (options: Options) =>
    Effect.map(Effect.flip(Effect.provide(me, layerPostgres(options))), (error) => error.reason)

  it.live("is not opened as who owns the tables or sees all rows, by a wrong password, or where nothing answers", () =>
    Effect.gen(function* () {
      const wrong = new URL(server?.worker ?? "")
      wrong.password = "wrong"
      const closed = new URL(server?.worker ?? "")
      closed.port = "1"
      const urls = [server?.owner, server?.admin, wrong.href, closed.href]
      const reasons = yield* Effect.forEach(urls, (url) => opened({ url: url ?? "" }))
      assert.deepStrictEqual(reasons, ["unauthorized", "unauthorized", "unauthorized", "unreachable"])
    })
  )

  it.live("is spoken to without encryption on this machine alone, whatever the address asks for", () =>
    Effect.gen(function* () {
      const elsewhere = new URL(server?.worker ?? "")
      elsewhere.hostname = "0.0.0.0"
      elsewhere.search = "?sslmode=disable"
      assert.strictEqual(yield* opened({ url: elsewhere.href }), "unreachable")
    })
  )

  it.live("is not written by a version that it is too new for, or opened before it was migrated", () =>
    Effect.gen(function* () {
      const ask = yield* admin
      const database = `other_${freshProject().replaceAll("-", "_")}`
      yield* ask(`CREATE DATABASE ${database} OWNER belay_owner`)
      const at = (url = ""): string => Object.assign(new URL(url), { pathname: `/${database}` }).href
      assert.strictEqual(yield* opened({ url: at(server?.worker) }), "older")
      const options = { url: Redacted.make(at(server?.owner)), roles: ["belay_worker"] }
      assert.deepStrictEqual(yield* Effect.all([migrate(options), migrate(options)], { concurrency: 2 }), [1, 1])
      yield* Effect.gen(function* () {
        yield* commit(started("p"))
        const there = yield* PgConnection.make({ url: Redacted.make(at(server?.admin)) })
        yield* there.query("UPDATE meta SET version = 9, oldest_writer = 9")
        const error = yield* Effect.flip(commit(created("q")))
        assert.strictEqual("reason" in error ? error.reason : error._tag, "newer")
        assert.strictEqual((yield* rowOf("p")).record.status, "active")
      }).pipe(Effect.provide(layerPostgres({ url: at(server?.worker) })))
      assert.strictEqual(yield* opened({ url: at(server?.worker) }), "newer")
    })
  )
})
