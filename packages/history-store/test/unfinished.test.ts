/** Deletions and reports that were left half way, and repairs that an older version wrote: what is finished. */
import { Inbox, TaskHistory } from "@belay/history-store"
import { TaskRecord } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  collect,
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
  started,
  turn
} from "./scenario.ts"
import { temporary } from "./temporary.ts"
import { open, inFile, change, keyOf, rules, repairedIn } from "./damaging.ts"

describe("deletionUnfinished: a deleted task", () => {
  it.live("of which something came later is deleted to the end, once, and stays deleted", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* Effect.gen(function* () {
        const inbox = yield* Inbox
        yield* commit(created("p"), created("q"))
        yield* commit(lifecycle({ _tag: "Delete", taskId: id("p"), subtasks: "keep", forever: true }))
        yield* inbox.post({ id: "late", kind: "message", text: "hello", taskId: id("p"), attempt: 0, by: "b" })
      }).pipe(Effect.provide(open(directory)))
      change(
        directory,
        `INSERT INTO message (task, idx, role, content) VALUES (${keyOf("p")}, 0, 'user', '[]')`,
        `INSERT INTO task_event (task, seq, ts, type, data) VALUES (${keyOf("p")}, 99, 1, 'message', '{}')`
      )
      yield* Effect.gen(function* () {
        const history = yield* TaskHistory
        assert.include(yield* rules, "deletionUnfinished p")
        assert.deepStrictEqual(yield* messagesOf("p"), [])
        assert.deepStrictEqual(
          (yield* eventsOf("p")).map(({ type }) => type),
          ["task.deleted", "repaired"]
        )
        assert.isTrue(TaskRecord.isTombstone(yield* recordOf("p")))
        assert.deepStrictEqual(
          (yield* history.list({ limit: 9 })).rows.map(({ record }) => record.id),
          [id("q")]
        )
        assert.strictEqual(
          inFile(directory, (db) => db.prepare("SELECT count(*) AS n FROM inbox").get()?.["n"]),
          0
        )
      }).pipe(Effect.provide(open(directory)))
      assert.deepStrictEqual(yield* Effect.provide(rules, open(directory)), [])
    })
  )
})

describe("a repair of an older history", () => {
  it.live("has the name of its rule for the number that is stored, and outlives a deletion as one of today", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* Effect.gen(function* () {
        yield* commit(created("p"))
        yield* commit(lifecycle({ _tag: "Delete", taskId: id("p"), subtasks: "keep", forever: true }))
      }).pipe(Effect.provide(open(directory)))
      const message = `INSERT INTO message (task, idx, role, content) VALUES (${keyOf("p")}, 0, 'user', '[]')`
      change(directory, message)
      assert.deepStrictEqual(yield* Effect.provide(rules, open(directory)), ["deletionUnfinished p"])
      change(
        directory,
        `UPDATE task_event SET data = replace(data, 'deletionUnfinished', 'R28') WHERE type = 'repaired'`,
        message
      )
      assert.deepStrictEqual(yield* Effect.provide(rules, open(directory)), ["deletionUnfinished p"])
      assert.deepStrictEqual(
        inFile(directory, (db) =>
          db.prepare("SELECT data ->> '$.rule' AS rule FROM task_event WHERE type = 'repaired' ORDER BY seq").all()
        ).map(({ rule }) => rule),
        ["R28", "deletionUnfinished"]
      )
      assert.deepStrictEqual(yield* Effect.provide(repairedIn("p"), open(directory)), [
        "deletionUnfinished",
        "deletionUnfinished"
      ])
    })
  )
})

describe("callUnanswered: a report that was collected while its call is still open", () => {
  it.live("is delivered as its result, once, to a task that nobody runs", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* commit(started("p"), delegated("p", 1, ["a", "b"]), finished("a"), collect("p", 1, "a")).pipe(
        Effect.provide(open(directory))
      )
      change(
        directory,
        "UPDATE tool_call SET state = 'started', result = NULL, is_error = NULL WHERE call_id = 'call-a'"
      )
      yield* Effect.gen(function* () {
        assert.include(yield* rules, "callUnanswered p")
        assert.deepStrictEqual(yield* rules, [])
        yield* commit(lifecycle({ _tag: "Resume", taskId: id("b") }), completed("b", 1))
        assert.deepStrictEqual(yield* rules, ["childCompleted p"])
        yield* commit(lifecycle({ _tag: "Resume", taskId: id("p") }))
        assert.deepStrictEqual(yield* resultsOf("p"), [
          ["call-a", "a is done"],
          ["call-b", "b is done"]
        ])
      }).pipe(Effect.provide(open(directory)))
    })
  )

  it.live("is left to its runner while it has one, and a call that no child was collected for stays open", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* Effect.gen(function* () {
        const history = yield* TaskHistory
        yield* commit(started("p"), delegated("p", 1, ["a"]), finished("a"), collect("p", 1, "a"))
        yield* commit(turn("p", 1, [{ callId: "c1" }]))
        change(directory, "UPDATE tool_call SET call_id = 'call-a' WHERE call_id = 'c1'")
        assert.deepStrictEqual((yield* history.reconcile(new Set([id("p")]))).repairs, [])
        change(directory, "UPDATE tool_call SET call_id = 'c1' WHERE message_idx = 3")
        assert.deepStrictEqual(yield* rules, ["runnerGone p"])
      }).pipe(Effect.provide(open(directory)))
    })
  )
})
