import { Ownership, TaskHistory } from "@belay/history-store"
import { TaskRecord } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { layerReader, layerSqlite } from "./history.ts"
import { run } from "./processes.ts"
import {
  commit,
  completed,
  created,
  delegated,
  eventsOf,
  finished,
  id,
  lifecycle,
  messagesOf,
  recordOf,
  resultsOf,
  rowOf,
  started,
  statusOf
} from "./scenario.ts"
import { temporary } from "./temporary.ts"

const here = (directory: string) => layerSqlite({ directory, kind: "test" })

const reconcile = Effect.map(
  TaskHistory.use((history) => history.reconcile(new Set())),
  ({ repairs }) => repairs
)

/** The fixture's history is in a worker thread. */
const inThread = { env: { ...process.env, BELAY_TEST_THREAD: "worker" } }

/** Changes the file behind the store's back. */
const tamper = (directory: string, ...statements: ReadonlyArray<string>) =>
  Effect.sync(() => {
    const db = new DatabaseSync(join(directory, "belay.db"))
    for (const statement of statements) db.exec(statement)
    db.close()
  })

const rulesOf = (repairs: ReadonlyArray<{ readonly taskId: string; readonly rule: string }>) =>
  Object.fromEntries(repairs.map(({ rule, taskId }) => [taskId, rule]))

const crashed = Effect.gen(function* () {
  const directory = yield* temporary
  const owner = yield* run("owner", [directory])
  yield* owner.line("ready")
  yield* owner.kill
  return directory
})

describe("two processes", () => {
  it.live("write to one history without losing an update or seeing each other's locks", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const turns = 60
      const names = ["left", "right"]
      yield* Effect.gen(function* () {
        yield* commit(started("shared"))
        for (const name of names) {
          for (let n = 0; n < turns; n++) {
            const ask = { askId: `${name}-${n}`, kind: "question" as const, grants: [] }
            yield* commit({ _tag: "AskOpened", taskId: id("shared"), attempt: 1, ask })
          }
        }
        const writers = yield* Effect.forEach(names, (name) =>
          run("writer", [directory, name, String(turns)], name === "right" ? inThread : {})
        )
        for (const writer of writers) yield* writer.line("ready")
        for (const writer of writers) writer.child.stdin?.write("go\n")
        for (const writer of writers) assert.deepStrictEqual(yield* writer.ended, { code: 0, output: "ready" })

        const shared = yield* eventsOf("shared")
        assert.strictEqual(shared.filter((event) => event.type === "ask.settled").length, 2 * turns)
        assert.strictEqual((yield* rowOf("shared")).openAsks, 0)
        for (const name of ["shared", ...names]) {
          const seqs = (yield* eventsOf(name)).map((event) => event.seq)
          assert.deepStrictEqual(
            seqs,
            seqs.map((_, index) => index + 1)
          )
          assert.strictEqual((yield* rowOf(name)).lastSeq, seqs.length)
        }
        for (const name of names) {
          assert.strictEqual((yield* resultsOf(name)).length, turns)
          assert.strictEqual((yield* rowOf(name)).usage.requests, turns)
        }
      }).pipe(Effect.provide(here(directory)))
    })
  )

  it.live("may all be the first to open it", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const openers = yield* Effect.forEach([1, 2, 3, 4], () => run("probe", [directory]))
      for (const opener of openers) assert.deepStrictEqual(yield* opener.ended, { code: 0, output: "0 repairs" })
      assert.deepStrictEqual(readdirSync(join(directory, "owners")), [])
    })
  )

  it.live("notice that another one has written", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* Effect.gen(function* () {
        const { version } = yield* TaskHistory
        const before = yield* version
        assert.strictEqual(yield* version, before)
        yield* commit(created("p")).pipe(Effect.provide(here(directory)))
        assert.notStrictEqual(yield* version, before)
      }).pipe(Effect.provide(here(directory)))
    })
  )

  it.live("wait for a program that keeps the lock", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* Effect.gen(function* () {
        yield* commit(created("p"))
        const other = yield* run("hold", [join(directory, "belay.db")])
        yield* other.line("locked")
        const start = commit(lifecycle({ _tag: "Start", taskId: id("p") }))
        const starting = yield* Effect.forkChild(start, { startImmediately: true })
        assert.strictEqual(yield* statusOf("p"), "created")
        other.child.stdin?.write("go\n")
        assert.deepStrictEqual(yield* other.ended, { code: 0, output: "locked\nreleased" })
        yield* Fiber.join(starting)
        const row = yield* rowOf("p")
        assert.deepStrictEqual([row.record.status, row.meta.title], ["active", "held"])
      }).pipe(Effect.provide(here(directory)))
    })
  )

  it.live("leave each other's tasks alone", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const owner = yield* run("owner", [directory])
      yield* owner.line("ready")
      yield* Effect.gen(function* () {
        // Nobody runs a task that was stopped, so its subtask's report is for whoever comes.
        assert.deepStrictEqual(rulesOf(yield* reconcile), { stopped: "childCompleted" })
        const before = yield* eventsOf("active")
        for (const signal of ["SIGSTOP", "SIGCONT"] as const) {
          owner.child.kill(signal)
          assert.deepStrictEqual(yield* reconcile, [])
          const error = yield* Effect.flip(commit(lifecycle({ _tag: "Resume", taskId: id("active") })))
          assert.strictEqual("rule" in error ? error.rule : error._tag, "Owned")
        }
        assert.deepStrictEqual(yield* eventsOf("active"), before)
        assert.strictEqual((yield* rowOf("active")).lease?.alive, true)
      }).pipe(Effect.provide(here(directory)))
    })
  )
})

describe("after a process was killed", () => {
  it.live("what it left is repaired by rule, once", () =>
    Effect.gen(function* () {
      const directory = yield* crashed
      // States that no commit of this version leaves behind.
      yield* tamper(
        directory,
        "PRAGMA foreign_keys = ON",
        "DELETE FROM task WHERE id = 'lost'",
        `INSERT INTO task (id, rev, status, attempt, parent_id, root_id, record, created_at)
           SELECT 'reserved', rev, status, attempt, 'reported', 'reported',
             json_set(record, '$.id', 'reserved', '$.lineage.parentId', 'reported', '$.lineage.rootId', 'reported'), 1
           FROM task WHERE id = 'queued-child'`,
        `INSERT INTO task (id, rev, status, attempt, parent_id, root_id, record, created_at)
           SELECT 'reserved-talked', rev, status, attempt, 'reported', 'reported',
             json_set(record, '$.id', 'reserved-talked', '$.lineage.parentId', 'reported'), 1
           FROM task WHERE id = 'queued-child'`,
        "INSERT INTO task_metric (task, updated_at) SELECT key, 1 FROM task WHERE id = 'reserved'",
        `INSERT INTO task_metric (task, updated_at, message_count)
           SELECT key, 1, 2 FROM task WHERE id = 'reserved-talked'`,
        `UPDATE task SET record = json_set(record, '$.awaiting', json('{}')) WHERE id = 'parent-of-queued'`
      )
      yield* Effect.gen(function* () {
        const repairs = yield* reconcile
        assert.deepStrictEqual(rulesOf(repairs), {
          active: "ownerGone",
          "chain-middle": "childCompleted",
          "parent-of-done": "childCompleted",
          "parent-of-lost": "childLost",
          "parent-of-queued": "nothingAwaited",
          "queued-child": "neverDelegated",
          "queued-root": "creatorGone",
          reported: "ownerGone",
          reserved: "neverDelegated",
          "reserved-talked": "neverDelegated",
          running: "ownerGone",
          stopped: "childCompleted"
        })
        assert.deepStrictEqual(yield* reconcile, [])
        const history = yield* TaskHistory
        assert.isTrue(Option.isNone(yield* history.row(id("reserved"))))
        assert.strictEqual(yield* statusOf("reserved-talked"), "interrupted")
        for (const [parent, text] of [
          ["parent-of-lost", "lost"],
          ["parent-of-queued", "did not run"]
        ] as const) {
          const record = yield* recordOf(parent)
          assert.strictEqual(record.status === "interrupted" && record.interruption.reason, "ready")
          const [[, told] = ["", ""], ...more] = yield* resultsOf(parent)
          assert.include(told, text)
          assert.deepStrictEqual(more, [])
        }
      }).pipe(Effect.provide(here(directory)))
    })
  )

  it.live("nothing of it stays but its tasks", () =>
    Effect.gen(function* () {
      const directory = yield* crashed
      assert.strictEqual(readdirSync(join(directory, "owners")).length, 1)
      yield* Effect.gen(function* () {
        const { row } = yield* Ownership
        const repairs = yield* reconcile
        assert.include(rulesOf(repairs), { "queued-child": "childNotStarted", "parent-of-done": "childCompleted" })
        const files = readdirSync(join(directory, "owners"))
        assert.deepStrictEqual(files, [`owner-${row.ownerId}.db`])
        const before = yield* eventsOf("parent-of-done")
        assert.deepStrictEqual(yield* reconcile, [])
        assert.deepStrictEqual(yield* eventsOf("parent-of-done"), before)
        for (const name of ["active", "parent-of-done", "chain"]) assert.isNull((yield* rowOf(name)).lease)
      }).pipe(Effect.provide(here(directory)))
    })
  )

  it.live("reports arrive and the parent goes on", () =>
    Effect.gen(function* () {
      const directory = yield* crashed
      yield* Effect.gen(function* () {
        yield* reconcile
        const parent = yield* recordOf("parent-of-done")
        assert.deepStrictEqual(TaskRecord.collectedIds(parent), [id("done")])
        assert.deepStrictEqual(TaskRecord.awaitedIds(parent), [id("running")])
        assert.strictEqual(yield* statusOf("running"), "interrupted")
        assert.strictEqual(yield* statusOf("chain-middle"), "interrupted")
        assert.strictEqual(yield* statusOf("chain"), "delegated")
        yield* commit(lifecycle({ _tag: "Resume", taskId: id("running") }))
        yield* commit(
          lifecycle({ _tag: "Complete", taskId: id("running"), attempt: 2, outcome: "failed", result: "no" })
        )
        yield* commit(lifecycle({ _tag: "Resume", taskId: id("parent-of-done") }))
        assert.deepStrictEqual(yield* resultsOf("parent-of-done"), [
          ["call-done", "done is done"],
          ["call-running", "[task running: failed] no"]
        ])
        assert.strictEqual((yield* messagesOf("parent-of-done")).length, 3)
        assert.strictEqual(yield* statusOf("parent-of-done"), "active")
      }).pipe(Effect.provide(here(directory)))
    })
  )

  it.live("and its machine has started anew, everything goes on as after a crash", () =>
    Effect.gen(function* () {
      const directory = yield* crashed
      yield* tamper(directory, "UPDATE owner SET boot_id = '7d0c5b1e-0000-4000-8000-000000000000', pid = 1")
      yield* Effect.gen(function* () {
        const history = yield* TaskHistory
        const [before] = yield* history.owners
        assert.deepInclude(before, { liveness: { _tag: "Dead" } })
        assert.isTrue(before?.tasks.includes(id("active")))
        assert.strictEqual((yield* rowOf("active")).lease?.alive, false)
        assert.include(rulesOf(yield* reconcile), {
          active: "ownerGone",
          "queued-root": "creatorGone",
          "parent-of-done": "childCompleted"
        })
        assert.deepStrictEqual(
          (yield* history.owners).map(({ liveness, owner }) => [owner.ownerId, liveness._tag]),
          [[history.me, "Alive"]]
        )
        assert.strictEqual(readdirSync(join(directory, "owners")).length, 1)
        yield* commit(lifecycle({ _tag: "Resume", taskId: id("active") }), completed("active", 2))
        const request = { _tag: "Delete", taskId: id("queued-root"), subtasks: "keep" } as const
        yield* commit(lifecycle(request))
      }).pipe(Effect.provide(here(directory)))
    })
  )

  it.live("nobody keeps the row of an owner that cannot be judged once no task needs it", () =>
    Effect.gen(function* () {
      const directory = yield* crashed
      yield* tamper(directory, "UPDATE owner SET machine_id = 'elsewhere'")
      yield* Effect.gen(function* () {
        const history = yield* TaskHistory
        yield* reconcile
        const [left] = yield* history.owners
        assert.deepStrictEqual(left?.liveness, { _tag: "Unknown", why: "otherMachine" })
        assert.deepInclude((yield* rowOf("active")).lease, { alive: true, doubt: "otherMachine" })
        for (const taskId of left?.tasks ?? []) {
          yield* commit(lifecycle({ _tag: "TakeOver", taskId }))
        }
        for (const name of ["queued-root", "queued-child", "lost"]) {
          yield* commit(lifecycle({ _tag: "Start", taskId: id(name) }))
        }
        yield* reconcile
        assert.deepStrictEqual(
          (yield* history.owners).map(({ owner }) => owner.ownerId),
          [history.me]
        )
        assert.strictEqual(readdirSync(join(directory, "owners")).length, 1)
      }).pipe(Effect.provide(here(directory)))
    })
  )

  for (const column of ["machine_id", "pid_namespace"]) {
    it.live(`an owner of another ${column} counts as alive, until a person takes its tasks over`, () =>
      Effect.gen(function* () {
        const directory = yield* crashed
        yield* tamper(directory, `UPDATE owner SET ${column} = 'elsewhere'`)
        yield* Effect.gen(function* () {
          assert.deepStrictEqual(rulesOf(yield* reconcile), { stopped: "childCompleted" })
          assert.strictEqual((yield* rowOf("active")).lease?.alive, true)
          const refused = yield* Effect.flip(commit(lifecycle({ _tag: "Resume", taskId: id("active") })))
          assert.strictEqual("rule" in refused && refused.rule, "Owned")
          yield* commit(lifecycle({ _tag: "TakeOver", taskId: id("active") }))
          const { me } = yield* TaskHistory
          const { lease, record } = yield* rowOf("active")
          assert.deepStrictEqual([lease?.ownerId, record.attempt], [me, 2])
          yield* commit(completed("active", 2))
        }).pipe(Effect.provide(here(directory)))
      })
    )
  }
})

describe("one process", () => {
  it.live("with two histories never frees its own lock by looking at it", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* Effect.gen(function* () {
        yield* commit(started("p"), delegated("p", 1, ["a"]))
        for (const layer of [here(directory), layerReader({ directory, kind: "test" })]) {
          const rows = yield* TaskHistory.use((history) => history.list({ limit: 9 })).pipe(Effect.provide(layer))
          assert.deepStrictEqual(
            rows.rows.map((row) => row.lease?.alive),
            [undefined, true]
          )
        }
        assert.deepStrictEqual(yield* reconcile.pipe(Effect.provide(here(directory))), [])
        const prober = yield* run("probe", [directory])
        assert.deepStrictEqual(yield* prober.ended, { code: 0, output: "p alive\n0 repairs" })
        yield* commit(finished("a"))
      }).pipe(Effect.provide(here(directory)))
    })
  )

  it.live("that leaves in peace leaves no owner behind, and its tasks to the next", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* commit(started("p")).pipe(Effect.provide(here(directory)))
      assert.isFalse(existsSync(join(directory, "belay.db-wal")))
      assert.deepStrictEqual(readdirSync(join(directory, "owners")), [])
      const left = yield* rowOf("p").pipe(Effect.provide(layerReader({ directory, kind: "test" })))
      assert.deepStrictEqual([left.lease, left.derived], [null, "orphaned"])
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(rulesOf(yield* reconcile), { p: "ownerGone" })
        const history = yield* TaskHistory
        assert.isNull(Option.getOrThrow(yield* history.row(id("p"))).lease)
      }).pipe(Effect.provide(here(directory)))
    })
  )
})
