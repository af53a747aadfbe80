/** What is done to the file of a history while a process has it open. */
import { type HistoryError, Inbox, type Ownership, TaskHistory } from "@belay/history-store"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { copyFileSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { layerReader, layerSqlite } from "./history.ts"
import { layerThread } from "./layerThread.ts"
import { commit, created, id, started } from "./scenario.ts"
import { temporary } from "./temporary.ts"

type History = Layer.Layer<TaskHistory | Inbox | Ownership, HistoryError.HistoryError>

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

/** What people and programs do to files; the history is put back by `back`. */
const moves: Readonly<Record<string, (directory: string) => { readonly back: () => void }>> = {
  "its file is moved": (directory) => moving(directory, ["belay.db"]),
  "its files are moved": (directory) => moving(directory, ["belay.db", "belay.db-wal", "belay.db-shm"]),
  "its log is moved": (directory) => moving(directory, ["belay.db-wal"]),
  "its file is replaced": (directory) => {
    const { back } = moving(directory, ["belay.db"])
    copyFileSync(join(directory, "moved-belay.db"), join(directory, "belay.db"))
    return { back }
  },
  "its folder is moved": (directory) => {
    renameSync(directory, `${directory}-moved`)
    return { back: () => renameSync(`${directory}-moved`, directory) }
  }
}

const moving = (directory: string, names: ReadonlyArray<string>) => {
  for (const name of names) renameSync(join(directory, name), join(directory, `moved-${name}`))
  return {
    back: () => {
      for (const name of names) renameSync(join(directory, `moved-${name}`), join(directory, name))
    }
  }
}

// Windows moves no file that is open.
describe.skipIf(process.platform === "win32")("a history in use", () => {
  for (const [where, layer] of Object.entries(layers)) {
    for (const [what, move] of Object.entries(moves)) {
      it.live(`(${where}) confirms nothing and says so when ${what}; what it confirmed is there once it is back`, () =>
        Effect.gen(function* () {
          const directory = join(yield* temporary, "home")
          let moved = { back: () => {} }
          yield* Effect.gen(function* () {
            yield* commit(started("p"))
            moved = move(directory)
            const refused = yield* refusals
            assert.deepStrictEqual(
              refused.map(({ reason }) => reason),
              refused.map(() => "moved")
            )
            assert.match(
              refused[0]?.message ?? "",
              /^the history is gone \(.*belay\.db\): .*\. Put it and .* back, or start /
            )
          }).pipe(Effect.provide(layer(directory)))
          if (what === "its file is moved") {
            // A new one in its place would cost the log that it left behind.
            for (const open of [layer, (at: string) => layerReader({ directory: at, kind: "test" })]) {
              const error = yield* Effect.flip(
                Effect.provide(
                  TaskHistory.use(({ version }) => version),
                  open(directory)
                )
              )
              assert.match(error.message, /is missing, and its log \(.*belay\.db-wal\) .* is still there\./)
              assert.strictEqual(error.hint, "restoreBackup")
            }
          }
          moved.back()
          assert.deepStrictEqual(
            inFile(directory, (db) =>
              db
                .prepare("SELECT id FROM task")
                .all()
                .map((row) => row["id"])
            ),
            ["p"]
          )
          yield* commit(created("q")).pipe(Effect.provide(layer(directory)))
        })
      )
    }
  }

  it.live("is no longer followed by who only reads it when it is deleted", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* commit(created("p")).pipe(Effect.provide(inProcess(directory)))
      yield* Effect.gen(function* () {
        const { version } = yield* TaskHistory
        yield* version
        rmSync(join(directory, "belay.db"))
        assert.strictEqual((yield* Effect.flip(version)).reason, "moved")
      }).pipe(Effect.provide(layerReader({ directory, kind: "test" })))
    })
  )
})
