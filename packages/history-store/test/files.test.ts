import { AttentionFile, type HistoryError, Inbox, TaskHistory } from "@belay/history-store"
import { Machine } from "@belay/machine"
import { windows } from "@belay/machine/testing"
import { Message } from "@belay/message-state"
import { TaskRecord } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { layerReader, layerSqlite } from "./history.ts"
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
import { layerThread } from "./layerThread.ts"
import { temporary } from "./temporary.ts"

const writer = (directory: string, maxPages?: number) =>
  layerSqlite({ directory, kind: "test", ...(maxPages === undefined ? {} : { maxPages }) })

const reader = (directory: string) => layerReader({ directory, kind: "test" })

const both = [writer, reader]

const fileOf = (directory: string) => join(directory, "belay.db")

/** Changes the file behind the store's back. */
const change = (directory: string, ...statements: ReadonlyArray<string>) => {
  const db = new DatabaseSync(fileOf(directory))
  for (const statement of statements) db.exec(statement)
  db.close()
}

/** The journal of a task tells nothing any more. */
const mute = (taskId: string) =>
  `UPDATE task_event SET data = '{' WHERE type = 'task.created' AND task = (SELECT key FROM task WHERE id = '${taskId}')`

const recordIn = (directory: string, taskId: string): string => {
  const db = new DatabaseSync(fileOf(directory))
  const row = db.prepare("SELECT record FROM task WHERE id = ?").get(taskId)
  db.close()
  return String(row?.["record"])
}

const everything = Effect.gen(function* () {
  const history = yield* TaskHistory
  const { rows } = yield* history.list({ limit: 99 })
  const tasks = yield* Effect.forEach(rows, ({ record }) =>
    Effect.all([
      history.events(record.id, 1, 9999),
      history.messages(record.id),
      history.calls(record.id),
      history.asks(record.id),
      history.checklist(record.id),
      history.children(record.id),
      history.treeUsage(record.id)
    ])
  )
  return { rows, tasks }
})

/** A closed history with a delegation in it. */
const stored = Effect.gen(function* () {
  const directory = yield* temporary
  yield* commit(started("p"), delegated("p", 1, ["a"]), finished("a"), collect("p", 1, "a")).pipe(
    Effect.provide(writer(directory))
  )
  return directory
})

const reasonOf = (layer: ReturnType<typeof writer>) =>
  everything.pipe(
    Effect.provide(layer),
    Effect.match({ onFailure: (error: HistoryError.HistoryError) => error.reason as string, onSuccess: () => "opened" })
  )

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

/** What would write says that a newer version wrote the file. */
const unwritten = Effect.gen(function* () {
  const { post, withdraw } = yield* Inbox
  const request = { id: "r", taskId: id("p"), attempt: 0, by: "user", kind: "interrupt" } as const
  for (const write of [commit(created("q")), post(request), withdraw("r", "user")]) {
    const error = yield* Effect.flip(write)
    assert.strictEqual("reason" in error && error.reason, "newer")
    assert.match(error.message, /^the history cannot be changed .*newer Belay.*\. Update Belay to go on;/)
  }
  const { reconcile } = yield* TaskHistory
  assert.deepStrictEqual(yield* reconcile(new Set()), { repairs: [], quarantined: [] })
})

describe("a file of another version", () => {
  it.live("that is newer is read with a notice when it says that this version can, and never written", () =>
    Effect.gen(function* () {
      const directory = yield* stored
      const known = yield* everything.pipe(Effect.provide(reader(directory)))
      change(directory, "ALTER TABLE task ADD COLUMN later TEXT", "PRAGMA user_version = 99")
      const bytes = readFileSync(fileOf(directory))
      assert.strictEqual(yield* reasonOf(writer(directory)), "newer")
      for (const layer of [reader, layerThread]) {
        yield* Effect.gen(function* () {
          const { notice } = yield* TaskHistory
          assert.include(notice, "version 99")
          assert.include(notice, "read-only")
          assert.deepStrictEqual(yield* everything, known)
          yield* unwritten
          yield* AttentionFile.refresh(directory)
          assert.isFalse(existsSync(AttentionFile.fileOf(directory)))
        }).pipe(Effect.provide(layer(directory)))
      }
      assert.isTrue(readFileSync(fileOf(directory)).equals(bytes))
      // Nobody owns anything in it.
      assert.deepStrictEqual(readdirSync(join(directory, "owners")), [])
    })
  )

  it.live("that is older is read as it is, and brought up to date by the first who writes", () =>
    Effect.gen(function* () {
      const directory = yield* stored
      // An older file does not say who wrote what.
      change(directory, "UPDATE message SET origin = NULL")
      const known = yield* everything.pipe(Effect.provide(reader(directory)))
      change(
        directory,
        "DROP INDEX task_renamed",
        "DROP TABLE quarantine",
        "DROP TABLE meta",
        "ALTER TABLE inbox DROP COLUMN accepted_at",
        "ALTER TABLE inbox DROP COLUMN refusal",
        "DROP TRIGGER task_key_used",
        "DROP TABLE task_key",
        "DROP TABLE file_context",
        "DROP TABLE search",
        "DROP TABLE search_covers",
        "DROP TABLE imported",
        "DROP TABLE reservation",
        "ALTER TABLE focus_chain DROP COLUMN conflict",
        "ALTER TABLE message DROP COLUMN made_by",
        "DROP INDEX task_deleted",
        "ALTER TABLE task DROP COLUMN deleted_at",
        "ALTER TABLE message DROP COLUMN origin",
        "PRAGMA user_version = 1"
      )
      const bytes = readFileSync(fileOf(directory))
      yield* Effect.gen(function* () {
        const history = yield* TaskHistory
        assert.isNull(history.notice)
        assert.deepStrictEqual(yield* everything, known)
        assert.deepStrictEqual(yield* history.quarantined, [])
      }).pipe(Effect.provide(reader(directory)))
      assert.isTrue(readFileSync(fileOf(directory)).equals(bytes))
      yield* Effect.gen(function* () {
        const history = yield* TaskHistory
        assert.deepStrictEqual(yield* history.quarantined, [])
        assert.deepStrictEqual(yield* everything, known)
      }).pipe(Effect.provide(writer(directory)))
    })
  )
})

describe("the folders of tasks in a file of an older version", () => {
  const machine = Effect.gen(function* () {
    const volume = windows({
      folder: yield* temporary,
      shortNames: { "JOHNDO~1": "John Doe" },
      drives: { "S:": "C:\\Users\\John Doe" },
      onLook: (_, file) => assert.notMatch(file, /^\\\\/)
    })
    volume.fs.mkdirSync("C:\\Users\\John Doe\\Project", { recursive: true })
    return volume
  })
  const spellings = ["c:\\Users\\JOHNDO~1\\project", "S:\\Project", "d:\\gone", "\\\\srv\\share\\p"]
  const asWritten = Effect.gen(function* () {
    const directory = yield* temporary
    yield* commit(...spellings.map((_, at) => created(`t${at}`))).pipe(Effect.provide(writer(directory)))
    const stored = spellings.map((spelling, at) => `UPDATE task SET workspace = '${spelling}' WHERE id = 't${at}'`)
    change(directory, ...stored, "PRAGMA user_version = 15")
    return directory
  })
  const folders = Effect.gen(function* () {
    const { row } = yield* TaskHistory
    return yield* Effect.forEach(spellings, (_, at) =>
      Effect.map(row(id(`t${at}`)), (found) => Option.getOrThrow(found).meta.workspace)
    )
  })

  it.live("get the one spelling of Windows, so that a list by folder has them all", () =>
    Effect.gen(function* () {
      const directory = yield* asWritten
      const provided = Effect.provideService(Machine.Current, yield* machine)
      const project = "C:\\Users\\John Doe\\Project"
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(yield* folders, [project, project, "D:\\gone", "\\\\srv\\share\\p"])
        const { rows } = yield* (yield* TaskHistory).list({ limit: 9, workspace: project })
        assert.deepStrictEqual(rows.map(({ record }) => record.id).toSorted(), [id("t0"), id("t1")])
      }).pipe(Effect.provide(writer(directory)), provided)
      // Once: what is stored since then is not looked at.
      change(directory, "UPDATE task SET workspace = 'S:\\Project' WHERE id = 't1'")
      const again = yield* folders.pipe(Effect.provide(writer(directory)), provided)
      assert.strictEqual(again[1], "S:\\Project")
    })
  )

  it.live("stay as they are elsewhere, but for the letter of a drive", () =>
    Effect.gen(function* () {
      const found = yield* folders.pipe(Effect.provide(writer(yield* asWritten)))
      assert.deepStrictEqual(found, ["C:\\Users\\JOHNDO~1\\project", "S:\\Project", "D:\\gone", "\\\\srv\\share\\p"])
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
      }).pipe(Effect.provide(writer(directory, 60)))
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
