/** Records in a real file that was damaged by hand: what is rebuilt, what is kept. */
import { TaskHistory } from "@belay/history-store"
import { TaskRecord } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import {
  collect,
  commit,
  completed,
  delegated,
  finished,
  id,
  lifecycle,
  messagesOf,
  recordOf,
  resultsOf,
  rowOf,
  started
} from "./scenario.ts"
import { temporary } from "./temporary.ts"
import { withoutMarks, withoutSessions } from "./inFiles.ts"
import { open, inFile, change, keyOf, reconciled, rules, repairedIn } from "./damaging.ts"

/** A closed history: `p` waits for `a`, which waits for `b`; each has a transcript. */
const chain = Effect.gen(function* () {
  const directory = yield* temporary
  yield* commit(
    started("p"),
    delegated("p", 1, ["a", "x"]),
    lifecycle({ _tag: "Start", taskId: id("a") }),
    delegated("a", 1, ["b"])
  ).pipe(Effect.provide(open(directory)))
  return directory
})

const goesOn = Effect.gen(function* () {
  yield* commit(lifecycle({ _tag: "Resume", taskId: id("b") }), completed("b", 1))
  yield* commit(lifecycle({ _tag: "Resume", taskId: id("a") }))
  yield* commit(completed("a", (yield* recordOf("a")).attempt))
  yield* commit(lifecycle({ _tag: "Resume", taskId: id("x") }), completed("x", 1))
  yield* commit(lifecycle({ _tag: "Resume", taskId: id("p") }))
  assert.deepStrictEqual(yield* resultsOf("p"), [
    ["call-a", "a is done"],
    ["call-x", "x is done"]
  ])
})

describe("recordDamaged: a record that cannot be read", () => {
  for (const damaged of ["{", "", "[]", '{"status":"paused"}']) {
    it.live(`(${JSON.stringify(damaged)}) is rebuilt from its journal, after a copy was kept`, () =>
      Effect.gen(function* () {
        const directory = yield* chain
        const whole = yield* Effect.provide(recordOf("a"), open(directory))
        change(directory, `UPDATE task SET record = '${damaged}' WHERE id = 'a'`)
        yield* Effect.gen(function* () {
          const history = yield* TaskHistory
          const { quarantined, repairs } = yield* history.reconcile(new Set())
          assert.deepStrictEqual(
            repairs.filter(({ rule }) => rule === "recordDamaged").map(({ taskId }) => taskId),
            [id("a")]
          )
          assert.deepStrictEqual(
            quarantined.map(({ record, taskId }) => [taskId, record]),
            [[id("a"), damaged]]
          )
          assert.deepStrictEqual(yield* history.quarantined, quarantined)
          assert.deepStrictEqual(yield* recordOf("a"), whole)
          assert.deepStrictEqual(yield* repairedIn("a"), ["recordDamaged"])
          assert.deepStrictEqual((yield* rowOf("p")).unreadable, [])
          assert.deepStrictEqual(yield* rules, [])
          yield* goesOn
        }).pipe(Effect.provide(open(directory)))
      })
    )
  }

  it.live("that completed gives its parent the result it had", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* commit(started("p"), delegated("p", 1, ["a"]), finished("a")).pipe(Effect.provide(open(directory)))
      change(directory, "UPDATE task SET record = 'x' WHERE id = 'a'")
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(yield* rules, ["recordDamaged a", "childCompleted p"])
        assert.deepStrictEqual(yield* resultsOf("p"), [["call-a", "a is done"]])
      }).pipe(Effect.provide(open(directory)))
    })
  )

  it.live("is the parent's own: its reports are those that its children gave", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const whole = yield* Effect.gen(function* () {
        yield* commit(started("p"), delegated("p", 1, ["a", "b", "c"]), finished("a"), collect("p", 1, "a"))
        yield* commit(lifecycle({ _tag: "Abandon", taskId: id("p"), child: id("b") }))
        return yield* recordOf("p")
      }).pipe(Effect.provide(open(directory)))
      change(directory, "UPDATE task SET record = 'x' WHERE id = 'p'")
      yield* Effect.gen(function* () {
        assert.include(yield* rules, "recordDamaged p")
        assert.deepStrictEqual(yield* recordOf("p"), whole)
      }).pipe(Effect.provide(open(directory)))
    })
  )

  for (const [what, ...statements] of [
    ["has a gap", `DELETE FROM task_event WHERE type = 'task.status' AND task = ${keyOf("a")}`],
    ["ends too early", `DELETE FROM task_event WHERE seq > 6 AND task = ${keyOf("a")}`],
    ["is of another revision", "UPDATE task SET rev = rev + 1 WHERE id = 'a'"],
    ["is damaged too", `UPDATE task_event SET data = 'x' WHERE task = ${keyOf("a")}`],
    [
      "is of the wrong types",
      `UPDATE task_event SET data = '{"children":5,"from":[]}' WHERE seq > 1 AND task = ${keyOf("a")}`
    ]
  ] as const) {
    it.live(`stays as it is when its journal ${what}, and releases nobody`, () =>
      Effect.gen(function* () {
        const directory = yield* chain
        change(directory, ...statements, "UPDATE task SET record = '{' WHERE id = 'a'")
        yield* Effect.gen(function* () {
          yield* reconciled
          assert.deepStrictEqual(yield* rules, [])
          const parent = yield* rowOf("p")
          assert.deepStrictEqual([parent.record.status, parent.unreadable], ["delegated", [id("a")]])
        }).pipe(Effect.provide(open(directory)))
        assert.strictEqual(
          inFile(directory, (db) => db.prepare("SELECT record FROM task WHERE id = 'a'").get()?.["record"]),
          "{"
        )
      })
    )
  }
})

describe("recordMissing: a child whose record is missing while its log is there", () => {
  it.live("gets the very record back that its journal tells, and its parent keeps the link", () =>
    Effect.gen(function* () {
      const directory = yield* chain
      const [whole, log, parent] = yield* Effect.all([recordOf("a"), messagesOf("a"), recordOf("p")]).pipe(
        Effect.provide(open(directory))
      )
      change(
        directory,
        "DELETE FROM task WHERE id = 'a'",
        "DELETE FROM task_metric WHERE task NOT IN (SELECT key FROM task)"
      )
      yield* Effect.gen(function* () {
        const found = yield* rules
        assert.deepStrictEqual(found.toSorted(), ["childNotStarted b", "childNotStarted x", "recordMissing a"])
        assert.deepStrictEqual(yield* recordOf("a"), whole)
        assert.deepStrictEqual(yield* messagesOf("a"), log)
        assert.deepStrictEqual(yield* recordOf("p"), parent)
        const row = yield* rowOf("a")
        assert.deepStrictEqual(
          [row.meta.title, row.meta.mode, row.meta.workspace, row.messageCount, row.usage.requests],
          ["do a", "act", "/work", log.length, 1]
        )
        assert.deepStrictEqual(yield* repairedIn("a"), ["recordMissing"])
        assert.deepStrictEqual(yield* rules, [])
        yield* goesOn
      }).pipe(Effect.provide(open(directory)))
    })
  )

  it.live("is interrupted when its journal has a gap, at the highest attempt that has left a trace", () =>
    Effect.gen(function* () {
      const directory = yield* chain
      yield* Effect.gen(function* () {
        yield* reconciled
        yield* commit(lifecycle({ _tag: "Resume", taskId: id("b") }))
        yield* commit(lifecycle({ _tag: "Interrupt", taskId: id("b"), reason: "user" }))
        yield* commit(lifecycle({ _tag: "Resume", taskId: id("b") }))
      }).pipe(Effect.provide(open(directory)))
      change(
        directory,
        `DELETE FROM task_event WHERE seq = 3 AND task = ${keyOf("b")}`,
        "DELETE FROM task WHERE id = 'b'"
      )
      yield* Effect.gen(function* () {
        assert.include(yield* rules, "recordMissing b")
        const record = yield* recordOf("b")
        assert.deepStrictEqual(
          [record.status, record.attempt, record.lineage],
          ["interrupted", 2, { parentId: id("a"), rootId: id("p"), originCallId: "call-b", depth: 2 }]
        )
        assert.deepStrictEqual(TaskRecord.awaitedIds(yield* recordOf("a")), [id("b")])
        assert.deepStrictEqual(yield* rules, [])
      }).pipe(Effect.provide(open(directory)))
    })
  )

  for (const also of ["SELECT 1", "DELETE FROM task_metric WHERE task NOT IN (SELECT key FROM task)"]) {
    it.live(`is given up when what it hung on is damaged, too, and nothing else is held up by it (${also})`, () =>
      Effect.gen(function* () {
        const directory = yield* chain
        // Neither its parent nor its root nor a child of it is there to take its folder and its settings from.
        change(
          directory,
          `UPDATE task_event SET data = json_set(data, '$.origin.lineage', json('{"parentId":"gone","rootId":"gone","depth":1}'))
            WHERE type = 'task.created' AND task = ${keyOf("b")}`,
          "DELETE FROM task WHERE id = 'b'",
          also
        )
        yield* Effect.gen(function* () {
          const { quarantined, repairs } = yield* reconciled
          assert.notInclude(
            repairs.map(({ taskId }) => taskId),
            id("b")
          )
          assert.include(
            repairs.map(({ rule, taskId }) => `${rule} ${taskId}`),
            "childNotStarted x"
          )
          assert.deepStrictEqual(
            quarantined.map(({ reason, taskId }) => [taskId, reason]),
            [[id("b"), "it is damaged in more than one place: its repair (recordMissing) changes nothing"]]
          )
          assert.deepStrictEqual(TaskRecord.awaitedIds(yield* recordOf("a")), [id("b")], "nobody is released by it")
          // Said once.
          assert.deepStrictEqual(yield* reconciled, { repairs: [], quarantined: [] })
          const { quarantined: all } = yield* TaskHistory
          assert.deepStrictEqual(yield* all, quarantined)
        }).pipe(Effect.provide(open(directory)))
      })
    )
  }

  it.live("is a parent too: it comes back before anything is decided about its children", () =>
    Effect.gen(function* () {
      const directory = yield* chain
      const whole = yield* Effect.provide(recordOf("p"), open(directory))
      change(directory, "DELETE FROM task WHERE id = 'p'")
      yield* Effect.gen(function* () {
        assert.deepStrictEqual((yield* rules).toSorted(), ["childNotStarted b", "childNotStarted x", "recordMissing p"])
        assert.deepStrictEqual(yield* recordOf("p"), whole)
        yield* goesOn
      }).pipe(Effect.provide(open(directory)))
    })
  )

  it.live("is neither lost nor rebuilt while only its index has forgotten it", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* commit(started("p"), delegated("p", 1, ["forgotten"]), finished("forgotten")).pipe(
        Effect.provide(open(directory))
      )
      const file = join(directory, "belay.db")
      const page = inFile(directory, (db) =>
        Number(
          db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_task_1'").get()?.["rootpage"]
        )
      )
      const bytes = readFileSync(file)
      bytes[bytes.indexOf("forgotten", 4096 * (page - 1))] = "F".charCodeAt(0)
      writeFileSync(file, bytes)
      yield* Effect.gen(function* () {
        const history = yield* TaskHistory
        assert.isTrue(Option.isNone(yield* history.row(id("forgotten"))))
        assert.notInclude(yield* rules, "childLost p")
        const parent = yield* rowOf("p")
        assert.deepStrictEqual(TaskRecord.awaitedIds(parent.record), [id("forgotten")])
      }).pipe(Effect.provide(open(directory)))
    })
  )

  for (const older of [false, true]) {
    it.live(`keeps its key from new tasks until then${older ? ", in a file of an older version" : ""}`, () =>
      Effect.gen(function* () {
        const directory = yield* temporary
        const waits = Effect.andThen(commit(started("p"), delegated("p", 1, ["a"])), messagesOf("a"))
        const known = yield* waits.pipe(Effect.provide(open(directory)))
        const later = [
          ...withoutMarks,
          "DROP TABLE imported",
          "DROP TABLE reservation",
          ...withoutSessions,
          "ALTER TABLE focus_chain DROP COLUMN conflict",
          "ALTER TABLE message DROP COLUMN made_by",
          "DROP INDEX task_deleted",
          "ALTER TABLE task DROP COLUMN deleted_at",
          "ALTER TABLE message DROP COLUMN origin",
          "DROP TABLE search_covers",
          "DROP TABLE search",
          "DROP TABLE file_context",
          "DROP TABLE task_key"
        ]
        if (older) change(directory, "DROP TRIGGER task_key_used", ...later, "PRAGMA user_version = 4")
        change(
          directory,
          "DELETE FROM task_metric WHERE task = (SELECT max(key) FROM task)",
          "DELETE FROM task WHERE id = 'a'"
        )
        yield* Effect.gen(function* () {
          yield* commit(started("n"))
          assert.include(yield* rules, "recordMissing a")
          assert.deepStrictEqual(yield* messagesOf("a"), known)
          assert.deepStrictEqual((yield* messagesOf("n")).length, 1)
        }).pipe(Effect.provide(open(directory)))
      })
    )
  }

  it.live("is lost when nothing of it is there (childLost)", () =>
    Effect.gen(function* () {
      const directory = yield* chain
      change(directory, "PRAGMA foreign_keys = ON", "DELETE FROM task WHERE id = 'a'")
      assert.include(yield* Effect.provide(rules, open(directory)), "childLost p")
    })
  )
})
