/** A restart in a history that was written when it was called a redelegation, and its outcome superseded. */
import { Inbox } from "@belay/history-store"
import { TaskRecord } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { layerSqlite } from "./history.ts"
import { commit, delegated, describeStep, eventsOf, id, lifecycle, recordOf, started } from "./scenario.ts"
import { temporary } from "./temporary.ts"

const changed = (directory: string, statements: ReadonlyArray<string>) =>
  Effect.sync(() => {
    const db = new DatabaseSync(join(directory, "belay.db"))
    for (const statement of statements) db.exec(statement)
    db.close()
  })

const older = (column: string) =>
  `replace(replace(${column}, '"restarted"', '"superseded"'), '"Restart"', '"Redelegate"')`

const stopped = (child: string) => [
  lifecycle({ _tag: "Start", taskId: id(child) }),
  lifecycle({ _tag: "Interrupt", taskId: id(child), reason: "user" })
]

describe("a restart of an older history", () => {
  it.live("is read by its record, its events and the request for it as one of today", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* Effect.gen(function* () {
        const inbox = yield* Inbox
        yield* commit(started("p"), delegated("p", 1, ["a", "b"]), ...stopped("a"), ...stopped("b"))
        yield* commit(lifecycle({ _tag: "Restart", taskId: id("p"), child: id("a"), to: id("n") }), describeStep("n"))
        const request = {
          id: "r",
          taskId: id("p"),
          attempt: 1,
          by: "cli",
          kind: "restart",
          child: id("b"),
          to: id("m")
        } as const
        yield* inbox.post(request)
        const now = yield* Effect.all([recordOf("p"), eventsOf("p"), inbox.pending])
        assert.strictEqual(TaskRecord.collectedEntry(now[0], id("a"))?.outcome, "restarted")
        yield* changed(directory, [
          `UPDATE task SET record = ${older("record")}`,
          `UPDATE task_event SET data = ${older("data")}`,
          "UPDATE inbox SET kind = 'redelegate'"
        ])
        assert.deepStrictEqual(yield* Effect.all([recordOf("p"), eventsOf("p"), inbox.pending]), now)
        assert.deepStrictEqual(now[2], [request])
      }).pipe(Effect.provide(layerSqlite({ directory, kind: "test" })))
    })
  )
})
