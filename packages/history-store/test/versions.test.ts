import { AttentionFile, Inbox, TaskHistory } from "@belay/history-store"
import { Machine } from "@belay/machine"
import { windows } from "@belay/machine/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { commit, created, id } from "./scenario.ts"
import { layerThread } from "./layerThread.ts"
import { temporary } from "./temporary.ts"
import {
  writer,
  reader,
  fileOf,
  change,
  everything,
  stored,
  reasonOf,
  withoutMarks,
  withoutSessions
} from "./inFiles.ts"

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
        ...withoutSessions,
        "ALTER TABLE focus_chain DROP COLUMN conflict",
        "ALTER TABLE message DROP COLUMN made_by",
        ...withoutMarks,
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
    change(directory, ...stored, ...withoutSessions, ...withoutMarks, "PRAGMA user_version = 15")
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
