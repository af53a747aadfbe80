import { HistoryError, layerWorker, Ownership, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { existsSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Worker } from "node:worker_threads"
import { run } from "./processes.ts"
import * as programs from "./programs.ts"
import { layerThread } from "./layerThread.ts"
import { commit, completed, id, lifecycle, messagesOf, rowOf, started, statusOf } from "./scenario.ts"
import { temporary } from "./temporary.ts"
import { fileOf, locked } from "./locked.ts"

const mortal = (directory: string) =>
  layerWorker({ directory, kind: "test", workerUrl: programs.urlOf("mortal"), maxHeapMb: 64 })

const die = (death: string) => TaskHistory.use((history) => Effect.flip(history.treeUsage(id(death))))

const say = (text: string) =>
  commit({ _tag: "Append", taskId: id("p"), attempt: 1, message: Message.user(Message.text(text)) })

const said = Effect.map(messagesOf("p"), (messages) => messages.slice(1).map(Message.textOf))

const probed = (directory: string) =>
  Effect.flatMap(run("probe", [directory]), (probe) => Effect.map(probe.ended, ({ output }) => output))

describe("a thread that dies", () => {
  for (const [death, why] of [
    ["throws", "a bug of ours"],
    ["exits", "exit code 3"],
    ["hoards", "out of memory"]
  ] as const) {
    it.live(`because it ${death} is followed by another one, as the same owner: its runners go on`, () =>
      Effect.gen(function* () {
        const directory = yield* temporary
        yield* Effect.gen(function* () {
          const history = yield* TaskHistory
          yield* commit(started("p"))
          const version = yield* history.version
          const error = yield* die(death)
          assert.deepStrictEqual([error._tag, error.reason], ["HistoryError", "failed"])
          assert.include(error.message, "its thread has ended")
          assert.include(error.message, why)
          assert.strictEqual((yield* rowOf("p")).lease?.ownerId, history.me)
          assert.notStrictEqual(yield* history.version, version)
          assert.strictEqual(yield* probed(directory), "p alive\n0 repairs")
          assert.strictEqual(readdirSync(join(directory, "owners")).length, 1)
          yield* commit(completed("p", 1))
          assert.strictEqual(yield* statusOf("p"), "completed")
        }).pipe(Effect.provide(mortal(directory)))
        assert.deepStrictEqual(readdirSync(join(directory, "owners")), [])
      })
    )
  }

  it.live("is asked again for what was only read, and for what was not asked yet", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* Effect.gen(function* () {
        const history = yield* TaskHistory
        yield* commit(started("p"))
        const killer = yield* Effect.forkChild(die("exits"), { startImmediately: true })
        // Behind the call that kills the thread; most are asked twice, of two threads that die.
        const asked: ReadonlyArray<Effect.Effect<unknown, HistoryError.HistoryError>> = [
          history.row(id("p")),
          history.list({ limit: 9 }),
          history.messages(id("p")),
          history.version
        ]
        const reads = yield* Effect.forEach(asked, (read) =>
          Effect.forkChild(Effect.asVoid(Effect.exit(read)), { startImmediately: true })
        )
        yield* Fiber.joinAll(reads)
        yield* Fiber.join(killer)
        assert.deepStrictEqual(yield* said, [])
        const [row] = yield* Effect.all([Effect.exit(history.row(id("p"))), say("one")], { concurrency: 2 })
        assert.strictEqual(row._tag, "Success")
        assert.deepStrictEqual(yield* said, ["one"])
      }).pipe(Effect.provide(mortal(directory)))
    })
  )

  it.live("before it answered a commit leaves its outcome unknown: it was made once, and is not made again", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* Effect.gen(function* () {
        yield* commit(started("p"))
        yield* Effect.forkChild(die("mutes"), { startImmediately: true })
        const error = yield* Effect.flip(say("once"))
        assert.deepStrictEqual("reason" in error && error.reason, "unknown")
        assert.include(error.message, "Whether it was stored is not known")
        assert.deepStrictEqual(yield* said, ["once"])
        yield* say("more")
        assert.deepStrictEqual(yield* said, ["once", "more"])
      }).pipe(Effect.provide(mortal(directory)))
    })
  )

  it.live("while a commit waits for another process has not made it, and it is not made later", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* Effect.gen(function* () {
        yield* commit(started("p"))
        const release = yield* locked(directory)
        const waiting = yield* Effect.forkChild(Effect.flip(say("never")), { startImmediately: true })
        yield* die("exits")
        const error = yield* Fiber.join(waiting)
        assert.deepStrictEqual("reason" in error && error.reason, "unknown")
        yield* release
        yield* say("after")
        assert.deepStrictEqual(yield* said, ["after"])
      }).pipe(Effect.provide(mortal(directory)))
    })
  )

  it.live("loses its tasks to a process that looks before the next one is there: its runners are told so", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* Effect.gen(function* () {
        const history = yield* TaskHistory
        yield* commit(started("p"))
        writeFileSync(join(directory, "gate"), "")
        const next = new Promise<Worker>((resolve) => process.once("worker", resolve))
        const killed = yield* Effect.forkChild(die("exits"), { startImmediately: true })
        const waiting = yield* Effect.promise(() => next)
        // It would be asked again, and kill the next one too.
        yield* Fiber.interrupt(killed)
        const later = yield* Effect.forkChild(Effect.flip(say("too late")), { startImmediately: true })
        assert.strictEqual(yield* probed(directory), "p dead\n1 repairs")
        waiting.postMessage("go", [])
        const errors = [yield* Fiber.join(later), yield* Effect.flip(commit(completed("p", 1)))]
        assert.deepStrictEqual(
          errors.map((error) => "rule" in error && error.rule),
          ["LeaseLost", "NotRunning"]
        )
        assert.deepStrictEqual([yield* statusOf("p"), yield* said], ["interrupted", []])
        yield* commit(lifecycle({ _tag: "Resume", taskId: id("p") }), completed("p", 2))
        assert.strictEqual((yield* rowOf("p")).record.attempt, 2)
        assert.isNull((yield* rowOf("p")).lease)
        assert.strictEqual((yield* history.row(id("p")))._tag, "Some")
      }).pipe(Effect.provide(mortal(directory)))
    })
  )

  it.live("again and again is given up, fails every call, and leaves its tasks to others", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* Effect.gen(function* () {
        const history = yield* TaskHistory
        const { liveness, row } = yield* Ownership
        yield* commit(started("p"))
        for (let n = 0; n < 3; n++) yield* die("exits")
        const errors = [
          yield* Effect.flip(commit(completed("p", 1))),
          yield* Effect.flip(history.row(id("p"))),
          yield* Effect.flip(history.version)
        ]
        for (const error of errors) {
          assert.deepStrictEqual("reason" in error && error.reason, "failed")
          assert.include(error.message, "exit code 3")
          assert.include(error.message, "not started any more")
        }
        assert.strictEqual((yield* liveness({ ...row, ownerId: "another" }))._tag, "Unknown")
        // This program lives, but its history does not: its tasks are for whoever comes.
        assert.strictEqual(yield* probed(directory), "p dead\n1 repairs")
      }).pipe(Effect.provide(mortal(directory)))
      assert.strictEqual(yield* Effect.provide(statusOf("p"), layerThread(directory)), "interrupted")
    })
  )

  it.live("before its history is open, or that is not there, is an error of opening it", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      for (const name of ["stillborn", "absent"]) {
        const layer = layerWorker({ directory, kind: "test", workerUrl: programs.urlOf(name) })
        const error = yield* Effect.flip(Effect.provide(TaskHistory, layer))
        assert.strictEqual(error.reason, "failed", name)
        assert.include(error.message, name === "absent" ? "Cannot find module" : "exit code 4")
      }
      for (const workerUrl of ["not-absolute.js", "https://example.com/worker.js"]) {
        const layer = layerWorker({ directory, kind: "test", workerUrl })
        assert.include((yield* Effect.flip(Effect.provide(TaskHistory, layer))).message, "cannot be started")
      }
      assert.isFalse(existsSync(fileOf(directory)))
    })
  )
})
