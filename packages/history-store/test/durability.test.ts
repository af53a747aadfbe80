import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { join } from "node:path"
import * as Sqlite from "../src/internal/sqlite.ts"
import { temporary } from "./temporary.ts"

describe("a history in a file", () => {
  it.live("asks every platform to have written an answered commit to the disk, the log and what it is moved to", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const asked = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const of = (name: string) =>
          Effect.map(sql.unsafe<Record<string, unknown>>(`PRAGMA ${name}`), ([row]) => Object.values(row ?? {})[0])
        return yield* Effect.forEach(["journal_mode", "synchronous", "fullfsync", "checkpoint_fullfsync"], of)
      })
      const filename = join(directory, "belay.db")
      assert.deepStrictEqual(yield* Effect.provide(asked, Sqlite.layer({ filename, readOnly: false })), [
        "wal",
        2,
        1,
        1
      ])
    })
  )
})
