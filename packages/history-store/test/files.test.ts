import { TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { TaskRecord } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { run } from "./processes.ts"
import {
  collect,
  commit,
  completed,
  created,
  delegated,
  eventsOf,
  finished,
  id,
  ids,
  lifecycle,
  messagesOf,
  resultsOf,
  rowOf,
  settled,
  started,
  turn
} from "./scenario.ts"
import { temporary } from "./temporary.ts"
import { writer, reader, fileOf, change, everything, stored, reasonOf } from "./inFiles.ts"

const both = [writer, reader]

/** The journal of a task tells nothing any more. */
const mute = (taskId: string) =>
  `UPDATE task_event SET data = '{' WHERE type = 'task.created' AND task = (SELECT key FROM task WHERE id = '${taskId}')`

const recordIn = (directory: string, taskId: string): string => {
  const db = new DatabaseSync(fileOf(directory))
  const row = db.prepare("SELECT record FROM task WHERE id = ?").get(taskId)
  db.close()
  return String(row?.["record"])
}

/** Both layers refuse the bytes for a reason, and leave them as they are. */
const refused = (directory: string, bytes: Buffer, reason: string, what: string) =>
  Effect.gen(function* () {
    writeFileSync(fileOf(directory), bytes)
    for (const layer of both) assert.strictEqual(yield* reasonOf(layer(directory)), reason, what)
    assert.isTrue(readFileSync(fileOf(directory)).equals(bytes), `${what} was changed`)
  })

describe("a history in a file", () => {
  it.live("is the same after it was closed and opened again", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const before = yield* Effect.gen(function* () {
        yield* commit(started("p"), delegated("p", 1, ["a", "b"]), finished("b"), collect("p", 1, "b"))
        const { rows, tasks } = yield* everything
        return {
          rows: rows.map((row) => ({ ...row, lease: null, derived: null })),
          tasks: tasks.map((parts) => parts.slice(0, 4))
        }
      }).pipe(Effect.provide(writer(directory)))
      for (const layer of both) {
        const { rows, tasks } = yield* everything.pipe(Effect.provide(layer(directory)))
        assert.deepStrictEqual(
          rows.map((row) => ({ ...row, lease: null, derived: null })),
          before.rows
        )
        assert.deepStrictEqual(
          tasks.map((parts) => parts.slice(0, 4)),
          before.tasks
        )
      }
    })
  )

  it.live("is new when the file is empty", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      writeFileSync(fileOf(directory), "")
      yield* commit(created("p")).pipe(Effect.provide(writer(directory)))
      assert.deepStrictEqual(ids((yield* everything.pipe(Effect.provide(reader(directory)))).rows), ["p"])
    })
  )

  it.live("is only read by a reader, while another process writes to it", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* Effect.gen(function* () {
        yield* commit(started("p"), delegated("p", 1, ["a"]))
        const files = [fileOf(directory), `${fileOf(directory)}-wal`]
        const before = files.map((file) => readFileSync(file))
        const seen = yield* everything.pipe(Effect.provide(reader(directory)))
        assert.deepStrictEqual(seen, yield* everything)
        files.forEach((file, index) => assert.isTrue(readFileSync(file).equals(before[index] ?? Buffer.of()), file))
      }).pipe(Effect.provide(writer(directory)))
    })
  )

  it.live("is only read by a reader after a crash, log and all", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const owner = yield* run("owner", [directory])
      yield* owner.line("ready")
      yield* owner.kill
      const files = [fileOf(directory), `${fileOf(directory)}-wal`]
      const before = files.map((file) => readFileSync(file))
      assert.isAbove((yield* everything.pipe(Effect.provide(reader(directory)))).rows.length, 10)
      files.forEach((file, index) => assert.isTrue(readFileSync(file).equals(before[index] ?? Buffer.of()), file))
    })
  )

  it.live("that is absent is empty for a reader, which creates nothing", () =>
    Effect.gen(function* () {
      const directory = join(yield* temporary, "not", "there")
      const { rows } = yield* everything.pipe(Effect.provide(reader(directory)))
      assert.deepStrictEqual(rows, [])
      assert.isFalse(existsSync(directory))
    })
  )

  it.live("cannot be changed through a reader", () =>
    Effect.gen(function* () {
      const directory = yield* stored
      const error = yield* Effect.flip(commit(created("q")).pipe(Effect.provide(reader(directory))))
      assert.strictEqual("reason" in error && error.reason, "readOnly")
    })
  )
})

describe("a file that is no history", () => {
  it.live("is refused and left as it is, whatever it holds instead", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      for (const text of ["x", "garbage\n".repeat(2000), "SQLite format 3\0", `SQLite format 3\0${"x".repeat(9000)}`]) {
        yield* refused(directory, Buffer.from(text), "corrupt", JSON.stringify(text.slice(0, 20)))
      }
    })
  )

  it.live("is refused when it is the database of another program", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const db = new DatabaseSync(fileOf(directory))
      db.exec("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)")
      db.close()
      yield* refused(directory, readFileSync(fileOf(directory)), "corrupt", "a foreign database")
    })
  )

  it.live("is refused at whatever size it was cut off", () =>
    Effect.gen(function* () {
      const bytes = readFileSync(fileOf(yield* stored))
      const directory = yield* temporary
      const sizes = [1, 15, 16, 17, 50, 99, 100, 101, 511, 512, 1000, 4095, 4096, 4097, 8192, 10_000]
      for (const size of [...sizes, bytes.length >> 1, bytes.length - 4096, bytes.length - 1]) {
        yield* refused(directory, bytes.subarray(0, size), "corrupt", `cut off at ${size}`)
      }
    })
  )

  it.live("is refused when the head of any page in use is flipped", () =>
    Effect.gen(function* () {
      const bytes = readFileSync(fileOf(yield* stored))
      const directory = yield* temporary
      for (let page = 4096; page < bytes.length; page += 4096) {
        const flipped = Buffer.from(bytes)
        for (let at = page; at < page + 8; at++) flipped[at] = (flipped[at] ?? 0) ^ 0xff
        yield* refused(directory, flipped, "corrupt", `page ${page / 4096 + 1}`)
      }
    })
  )

  it.live("is refused when it is of a newer version that this one cannot read", () =>
    Effect.gen(function* () {
      const directory = yield* stored
      for (const statement of ["UPDATE meta SET oldest_reader = 99", "DROP TABLE meta"]) {
        change(directory, "PRAGMA user_version = 99", statement)
        yield* refused(directory, readFileSync(fileOf(directory)), "newer", statement)
      }
      const error = yield* Effect.flip(everything.pipe(Effect.provide(writer(directory))))
      assert.include(error.message, "Update Belay")
    })
  )
})

const damage = [
  ["of an unknown status", "replace(record, 'created', 'paused')", "status"],
  ["cut off", "substr(record, 1, length(record) / 2)", "JSON"],
  ["of NUL bytes", "char(0, 0, 0)", "JSON"],
  ["empty", "''", "JSON"],
  ["of the wrong type", "'[]'", "Expected"],
  ["of another task", "json_set(record, '$.id', 'z')", "task z"]
] as const

describe("a record that cannot be read, nor told from its journal,", () => {
  for (const [what, damaged, reason] of damage) {
    it.live(`because it is ${what} is copied aside once, and its parent goes on waiting`, () =>
      Effect.gen(function* () {
        const directory = yield* temporary
        yield* commit(started("p"), delegated("p", 1, ["a"]), created("q")).pipe(Effect.provide(writer(directory)))
        change(directory, mute("a"), `UPDATE task SET record = ${damaged} WHERE id = 'a'`)
        const found = recordIn(directory, "a")
        yield* Effect.gen(function* () {
          const history = yield* TaskHistory
          const { quarantined, repairs } = yield* history.reconcile(new Set())
          assert.deepStrictEqual(
            repairs.map(({ rule, taskId }) => [taskId, rule]),
            [[id("q"), "creatorGone"]]
          )
          assert.deepStrictEqual(
            quarantined.map(({ record, taskId }) => [taskId, record]),
            [[id("a"), found]]
          )
          assert.include(quarantined[0]?.reason, reason)
          assert.deepStrictEqual(yield* history.reconcile(new Set()), { repairs: [], quarantined: [] })
          assert.deepStrictEqual(yield* history.quarantined, quarantined)
          const parent = yield* rowOf("p")
          assert.deepStrictEqual([parent.record.status, parent.unreadable], ["delegated", [id("a")]])
          assert.deepStrictEqual(TaskRecord.awaitedIds(parent.record), [id("a")])
        }).pipe(Effect.provide(writer(directory)))
        assert.strictEqual(recordIn(directory, "a"), found)
      })
    )
  }

  it.live("is named when it is asked for, is overwritten by nothing and hides no other task", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* commit(started("p"), delegated("p", 1, ["a"]), created("q")).pipe(Effect.provide(writer(directory)))
      change(directory, mute("a"), "UPDATE task SET record = '{' WHERE id = 'a'")
      yield* Effect.gen(function* () {
        const history = yield* TaskHistory
        assert.deepStrictEqual(ids((yield* history.list({ limit: 9 })).rows).toSorted(), ["p", "q"])
        assert.deepStrictEqual(yield* history.children(id("p")), [])
        const error = yield* Effect.flip(history.row(id("a")))
        assert.strictEqual(error.reason, "corrupt")
        assert.include(error.message, "the record of task a cannot be read")
        yield* history.reconcile(new Set())
        for (const step of [started("a"), finished("a"), [collect("p", 1, "a")]]) {
          assert.strictEqual((yield* Effect.flip(commit(step)))._tag, "HistoryError")
        }
        assert.strictEqual(recordIn(directory, "a"), "{")
        // Interrupted or not, the parent has not been told anything.
        yield* history.reconcile(new Set())
        const parent = yield* rowOf("p")
        assert.deepStrictEqual([parent.record.status, parent.unreadable], ["delegated", [id("a")]])
      }).pipe(Effect.provide(writer(directory)))
    })
  )

  it.live("keeps its first copy when it is damaged again, and goes on once it is repaired", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* commit(started("p"), delegated("p", 1, ["a"])).pipe(Effect.provide(writer(directory)))
      const whole = recordIn(directory, "a")
      for (const damaged of ["{", "{{"]) {
        change(directory, mute("a"), `UPDATE task SET record = '${damaged}' WHERE id = 'a'`)
        yield* TaskHistory.use((history) => history.reconcile(new Set())).pipe(Effect.provide(writer(directory)))
      }
      change(directory, `UPDATE task SET record = '${whole}' WHERE id = 'a'`)
      yield* Effect.gen(function* () {
        const history = yield* TaskHistory
        yield* history.reconcile(new Set())
        assert.deepStrictEqual(
          (yield* history.quarantined).map(({ record }) => record),
          ["{", "{{"]
        )
        assert.deepStrictEqual((yield* rowOf("p")).unreadable, [])
        yield* commit(lifecycle({ _tag: "Resume", taskId: id("a") }))
        yield* commit(completed("a", 1))
        yield* commit(lifecycle({ _tag: "Resume", taskId: id("p") }))
        assert.deepStrictEqual(yield* resultsOf("p"), [["call-a", "a is done"]])
      }).pipe(Effect.provide(writer(directory)))
    })
  )
})

describe("a full disk", () => {
  it.live("fails the commit as a whole, and the history goes on when there is space again", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const big = "x".repeat(200_000)
      const before = yield* Effect.gen(function* () {
        yield* commit(started("p"), turn("p", 1, [{ callId: "c1" }]))
        const known = yield* everything
        const error = yield* Effect.flip(commit(settled("p", 1, { callId: "c1", text: big })))
        assert.strictEqual("reason" in error && error.reason, "full")
        assert.match(error.message, /^the history cannot be written to \(.*the disk is full/u)
        assert.include(error.message, "Free space")
        assert.deepStrictEqual(yield* everything, known)
        yield* commit(settled("p", 1, { callId: "c1", text: "small" }))
        return yield* eventsOf("p")
      }).pipe(Effect.provide(writer(directory, 80)))
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(yield* eventsOf("p"), before)
        assert.deepStrictEqual((yield* messagesOf("p")).at(-1)?.content, [
          { type: "tool_result", tool_use_id: "c1", content: [Message.text("small")] }
        ])
        yield* commit(created("q"))
        const history = yield* TaskHistory
        assert.isTrue(Option.isSome(yield* history.row(id("q"))))
      }).pipe(Effect.provide(writer(directory)))
    })
  )
})

describe.skipIf(process.getuid?.() !== 0)("a folder of somebody else", () => {
  it.live("is refused as a matter of rights", () =>
    Effect.gen(function* () {
      const source = yield* stored
      const directory = join(source, "closed")
      mkdirSync(directory)
      copyFileSync(fileOf(source), fileOf(directory))
      chmodSync(source, 0o755)
      chmodSync(directory, 0o000)
      const stranger = yield* run("open", [directory, "stranger"])
      assert.deepStrictEqual(yield* stranger.ended, { code: 0, output: "permission\npermission" })
      chmodSync(directory, 0o755)
      assert.strictEqual(statSync(fileOf(directory)).size, statSync(fileOf(source)).size)
    })
  )
})
