/** What is done to the file of a history while a process has it open. */
import { type HistoryError, Inbox, layerReader, type Owner, TaskHistory } from "@belay/history-store"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { layerSqlite } from "./history.ts"
import { layerThread } from "./layerThread.ts"
import { commit, created, id, started } from "./scenario.ts"
import { temporary } from "./temporary.ts"

type History = Layer.Layer<TaskHistory | Inbox | Owner, HistoryError.HistoryError>

const inProcess = (directory: string): History => layerSqlite({ directory, kind: "test" })

/** Those that write. */
const layers: Readonly<Record<string, (directory: string) => History>> = {
  "of the program itself": inProcess,
  "in a thread of its own": layerThread
}

const tablesOf = (db: DatabaseSync) =>
  ["task", "task_event", "message", "inbox", "lease", "owner"].map((table) =>
    db.prepare(`SELECT * FROM ${table}`).all()
  )

const inFile = <A>(directory: string, body: (db: DatabaseSync) => A): A => {
  const db = new DatabaseSync(join(directory, "belay.db"))
  try {
    return body(db)
  } finally {
    db.close()
  }
}

/** What each write of an open history fails with, and the look for changes. */
const refusals = Effect.gen(function* () {
  const history = yield* TaskHistory
  const { post, withdraw } = yield* Inbox
  const request = { id: "r", taskId: id("p"), attempt: 1, by: "user", kind: "interrupt" } as const
  const writes = [
    commit(created("q")),
    history.reconcile(new Set()),
    post(request),
    withdraw("m", "user"),
    history.version
  ]
  return yield* Effect.forEach(writes, (write) =>
    Effect.match(write as Effect.Effect<unknown, HistoryError.HistoryError>, {
      onFailure: ({ message, reason }) => ({ reason: reason as string, message }),
      onSuccess: () => ({ reason: "done", message: "" })
    })
  )
})

for (const [where, layer] of Object.entries(layers)) {
  describe(`a file that a newer version migrates while a history (${where}) has it open`, () => {
    it.live("is not written any more, and whoever follows it learns why", () =>
      Effect.gen(function* () {
        const directory = yield* temporary
        yield* Effect.gen(function* () {
          yield* commit(started("p"), {
            _tag: "Say",
            taskId: id("p"),
            attempt: 1,
            id: "m",
            text: "waits",
            queued: true
          })
          const before = inFile(directory, (db) => {
            db.exec("PRAGMA user_version = 99")
            return tablesOf(db)
          })
          const refused = yield* refusals
          assert.deepStrictEqual(
            refused.map(({ reason }) => reason),
            refused.map(() => "newer")
          )
          assert.match(
            refused[0]?.message ?? "",
            /^the history cannot be changed .*newer Belay.*\. Update Belay to go on;/
          )
          assert.deepStrictEqual(inFile(directory, tablesOf), before)
        }).pipe(Effect.provide(layer(directory)))
        // Its rows are left to those who may write: the free lock says that nobody is there.
        assert.strictEqual(
          inFile(directory, (db) => db.prepare("SELECT * FROM owner").all().length),
          1
        )
      })
    )
  })
}

describe("a history that is only read", () => {
  it.live("is followed while another program migrates it", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* commit(created("p")).pipe(Effect.provide(inProcess(directory)))
      yield* Effect.gen(function* () {
        const { version } = yield* TaskHistory
        yield* version
        inFile(directory, (db) => db.exec("PRAGMA user_version = 99"))
        yield* version
      }).pipe(Effect.provide(layerReader({ directory, kind: "test" })))
    })
  )
})
