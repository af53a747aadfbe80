import * as Preload from "@belay/history-store/unstable/preload"
import { HistoryError, layerWorker, TaskHistory } from "@belay/history-store"
import { Command } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { existsSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Worker } from "node:worker_threads"
import { vi } from "vitest"
import { layerReader, layerSqlite } from "./history.ts"
import { run } from "./processes.ts"
import * as programs from "./programs.ts"
import { layerThread } from "./layerThread.ts"
import { commit, completed, created, eventsOf, id, lifecycle, rowOf, started, statusOf } from "./scenario.ts"
import { temporary } from "./temporary.ts"
import { fileOf, locked } from "./locked.ts"

/** Lets the event loop turn that many times. */
const turns = (count: number) =>
  Effect.callback<void>((resume) => {
    let left = count
    const turn = () => (left-- === 0 ? resume(Effect.void) : setImmediate(turn))
    turn()
  })

/** The threads that an effect starts, and whether each is over. */
const threadsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const over: Array<boolean> = []
    const watch = (worker: Worker) => {
      const index = over.push(false) - 1
      worker.once("exit", () => (over[index] = true))
    }
    process.on("worker", watch)
    yield* Effect.ensuring(
      Effect.exit(effect),
      Effect.sync(() => process.off("worker", watch))
    )
    return over
  })

describe("a thread that was started before", () => {
  const workerUrl = programs.urlOf("worker")
  const ahead = (directory: string) => Effect.sync(() => Preload.start({ directory, kind: "test", workerUrl }))
  const heard = (begun: Preload.Preload) =>
    layerWorker({ directory: begun.start.belayHistory.directory, kind: "test", ahead: begun })

  it.live("is taken over with what it said meanwhile, and is the only one", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const over = yield* threadsOf(
        Effect.gen(function* () {
          const begun = yield* ahead(directory)
          // It has opened the history, and says so to nobody yet.
          while (!existsSync(join(directory, "owners", `owner-${begun.start.belayHistory.ownerId}.db`))) yield* turns(1)
          yield* Effect.gen(function* () {
            yield* commit(started("p"))
            assert.strictEqual((yield* rowOf("p")).lease?.ownerId, begun.start.belayHistory.ownerId)
          }).pipe(Effect.provide(heard(begun)))
        })
      )
      assert.deepStrictEqual(over, [true])
    })
  )

  it.live("and cannot open its history says why to who takes it over", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      writeFileSync(fileOf(directory), "no database")
      const begun = yield* ahead(directory)
      const error = yield* Effect.flip(Effect.provide(rowOf("p"), heard(begun)))
      assert.strictEqual("reason" in error && error.reason, "corrupt")
    })
  )

  it.live("is ended when nobody takes it", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const over = yield* threadsOf(
        Effect.gen(function* () {
          const begun = yield* ahead(directory)
          begun.end()
          begun.end()
          assert.isUndefined(begun.take())
        })
      )
      while (over.includes(false)) yield* turns(1)
    })
  )
})

describe("the errors of a thread", () => {
  it.live("arrive as what they are", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* Effect.gen(function* () {
        yield* commit(created("p"))
        const rejected = yield* Effect.flip(commit(completed("p", 1)))
        assert.instanceOf(rejected, Command.TransitionRejected)
        assert.deepStrictEqual(
          "rule" in rejected && [rejected.taskId, rejected.command, rejected.status, rejected.rule],
          [id("p"), "Complete", "created", "NotStarted"]
        )
        const db = new DatabaseSync(fileOf(directory))
        db.exec("UPDATE task SET record = '{'")
        db.close()
        const history = yield* TaskHistory
        const error = yield* Effect.flip(history.row(id("p")))
        assert.instanceOf(error, HistoryError.HistoryError)
        assert.deepStrictEqual([error.reason, error.path], ["corrupt", fileOf(directory)])
        assert.instanceOf(error.cause, Error)
        assert.strictEqual((yield* history.reconcile(new Set())).quarantined.length, 1)
      }).pipe(Effect.provide(layerThread(directory)))
    })
  )

  it.live("of opening are those of the calling thread, and the thread is over", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      writeFileSync(fileOf(directory), "no database")
      const [same, other] = yield* Effect.forEach([layerSqlite, layerWorker], (layer) =>
        Effect.flip(Effect.provide(TaskHistory, layer({ directory, kind: "test" })))
      )
      assert.strictEqual(other?.message, same?.message)
      assert.strictEqual(other?.reason, "corrupt")
      assert.deepStrictEqual(yield* threadsOf(Effect.provide(TaskHistory, layerThread(directory))), [true])
    })
  )

  it.live("of a call that is no plain data are a defect of that call alone", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* Effect.gen(function* () {
        yield* commit(started("p"))
        const settings = { callback: () => undefined }
        const exit = yield* Effect.exit(
          commit({ _tag: "Configure", taskId: id("p"), attempt: 1, settings, model: "m-1" })
        )
        assert.strictEqual(exit._tag === "Failure" && exit.cause.reasons[0]?._tag, "Die")
        assert.strictEqual(yield* statusOf("p"), "active")
      }).pipe(Effect.provide(layerThread(directory)))
    })
  )
})

describe("the caller of a thread", () => {
  it.live("makes no call of SQLite, and its event loop turns while another process has the lock", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const touched = [vi.spyOn(DatabaseSync.prototype, "prepare"), vi.spyOn(DatabaseSync.prototype, "exec")]
      yield* Effect.gen(function* () {
        yield* commit(created("p"))
        const release = yield* locked(directory)
        const order: Array<string> = []
        const note = (what: string) => Effect.sync(() => order.push(what))
        const start = commit(lifecycle({ _tag: "Start", taskId: id("p") }))
        const committing = yield* Effect.forkChild(Effect.tap(start, note("committed")), { startImmediately: true })
        yield* turns(10_000)
        yield* note("turned 10000 times")
        assert.strictEqual(yield* statusOf("p"), "created")
        yield* note("read")
        yield* release
        yield* Fiber.join(committing)
        assert.deepStrictEqual(order, ["turned 10000 times", "read", "committed"])
        assert.strictEqual(yield* statusOf("p"), "active")
      }).pipe(Effect.provide(layerThread(directory)))
      for (const spy of touched) assert.strictEqual(spy.mock.calls.length, 0)
      // The spies see what they should see.
      yield* Effect.provide(eventsOf("p"), layerReader({ directory, kind: "test" }))
      for (const spy of touched) {
        assert.isAbove(spy.mock.calls.length, 0)
        spy.mockRestore()
      }
    })
  )

  it.live("may give up a commit that waits: it is not made later, and the next one is", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* Effect.gen(function* () {
        yield* commit(created("p"))
        const release = yield* locked(directory)
        const given = yield* Effect.forEach(["a", "b", "c"], (name) =>
          Effect.forkChild(commit(created(name)), { startImmediately: true })
        )
        yield* turns(100)
        yield* Fiber.interruptAll(given)
        yield* release
        yield* commit(created("q"))
        const history = yield* TaskHistory
        for (const name of ["a", "b", "c"]) assert.isTrue(Option.isNone(yield* history.row(id(name))), name)
        assert.strictEqual((yield* history.list({ limit: 9 })).rows.length, 2)
      }).pipe(Effect.provide(layerThread(directory)))
    })
  )

  it.live("knows of each commit that it gives up, at whatever moment, whether it was made", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* Effect.gen(function* () {
        const history = yield* TaskHistory
        for (let n = 0; n < 40; n++) {
          const name = `t${n}`
          const fiber = yield* Effect.forkChild(commit(created(name)), { startImmediately: true })
          yield* turns(n)
          yield* Fiber.interrupt(fiber)
          const row = yield* history.row(id(name))
          // Whole or not at all, and settled when the interruption is.
          if (Option.isSome(row)) assert.deepStrictEqual((yield* eventsOf(name)).length, row.value.lastSeq)
          const again = yield* commit(created(name))
          assert.strictEqual(again.events.length === 0, Option.isSome(row), name)
        }
      }).pipe(Effect.provide(layerThread(directory)))
    })
  )
})

describe("closing a history in a thread", () => {
  it.live("closes the database and frees the lock before the scope is over, and ends the thread", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const over = yield* threadsOf(
        Effect.gen(function* () {
          yield* commit(started("p"))
          assert.isTrue(existsSync(`${fileOf(directory)}-wal`))
          assert.strictEqual(readdirSync(join(directory, "owners")).length, 1)
        }).pipe(Effect.provide(layerThread(directory)))
      )
      assert.deepStrictEqual(over, [true])
      assert.isFalse(existsSync(`${fileOf(directory)}-wal`))
      assert.deepStrictEqual(readdirSync(join(directory, "owners")), [])
      const left = yield* Effect.provide(rowOf("p"), layerReader({ directory, kind: "test" }))
      assert.isNull(left.lease)
    })
  )

  it.live("fails what is asked afterwards", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const history = yield* Effect.provide(TaskHistory, layerThread(directory))
      const error = yield* Effect.flip(history.list({ limit: 1 }))
      assert.include(error.message, "it was closed")
    })
  )

  it.live("while a commit waits gives that up and does not wait for it", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const [history, release] = yield* Effect.gen(function* () {
        yield* commit(created("p"))
        const release = yield* locked(directory)
        yield* Effect.forkDetach(commit(created("q")), { startImmediately: true })
        yield* turns(100)
        return [yield* TaskHistory, release] as const
      }).pipe(Effect.provide(layerThread(directory)))
      yield* Effect.flip(history.version)
      yield* release
      const rows = yield* TaskHistory.use(({ list }) => list({ limit: 9 })).pipe(Effect.provide(layerThread(directory)))
      assert.strictEqual(rows.rows.length, 1)
    })
  )
})

describe("the lock of a thread", () => {
  it.live("is not freed by a look at it from its own process, and other processes see it", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* Effect.gen(function* () {
        yield* commit(started("p"))
        for (const layer of [layerSqlite, layerReader, layerWorker]) {
          const row = yield* Effect.provide(rowOf("p"), layer({ directory, kind: "test" }))
          assert.strictEqual(row.lease?.alive, true)
        }
        const prober = yield* run("probe", [directory])
        assert.deepStrictEqual(yield* prober.ended, { code: 0, output: "p alive\n0 repairs" })
        yield* commit(completed("p", 1))
      }).pipe(Effect.provide(layerThread(directory)))
    })
  )

  it.live("is kept while its process is stopped, and free once it is killed", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const owner = yield* run("owner", [directory], { env: { ...process.env, BELAY_TEST_THREAD: "worker" } })
      yield* owner.line("ready")
      yield* Effect.gen(function* () {
        const { reconcile } = yield* TaskHistory
        const active = Effect.map(reconcile(new Set()), ({ repairs }) =>
          repairs.filter(({ taskId }) => taskId === "active").map(({ rule }) => rule)
        )
        owner.child.kill("SIGSTOP")
        assert.deepStrictEqual(yield* active, [])
        owner.child.kill("SIGCONT")
        yield* owner.kill
        assert.deepStrictEqual(yield* active, ["ownerGone"])
      }).pipe(Effect.provide(layerThread(directory)))
    })
  )
})

describe("a program with a thread", () => {
  it.live("that is bundled finds the thread beside it, and ends when it is done", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const host = yield* run("host", [join(directory, "data")])
      assert.deepStrictEqual(yield* host.ended, { code: 0, output: "active" })
      assert.deepStrictEqual(readdirSync(join(directory, "data", "owners")), [])
    })
  )
})
