import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll } from "vitest"
import * as Sqlite from "../src/internal/database/sqlite.ts"
import { run } from "./processes.ts"
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

const own = join(import.meta.dirname, "..", ".cache")
const shim = join(own, "calls.so")

/** What a process asked of the system, read in order: how many answers it gave, and where one came before the disk. */
const judge = (record: string) => {
  const found = { answers: 0, moves: 0, wrongs: new Array<string>() }
  const open = { log: false, database: false, committed: false }
  const wrong = (is: boolean, what: string) => {
    if (is) found.wrongs.push(`${what} (answer ${found.answers})`)
  }
  for (const line of record.split("\n")) {
    const [, call, name, offset] = /^(write|sync) .*\/(belay\.db(?:-wal)?|answers) (-?\d+)$/.exec(line) ?? []
    if (call === "sync") open[name === "belay.db" ? "database" : "log"] = false
    else if (name === "belay.db-wal") {
      wrong(offset === "0" && open.database, "the log was begun anew before the database was on the disk")
      open.log = true
      open.committed = true
    } else if (name === "belay.db") {
      wrong(open.log, "the database was written before the log was on the disk")
      open.database = true
      found.moves += 1
    } else if (name === "answers") {
      found.answers += 1
      wrong(!open.committed || open.log, "it was answered before the log was on the disk")
      open.committed = false
    }
  }
  return found
}

/** Runs a program with each of its writes and syncs noted. */
const recorded = (program: string, thread: string) =>
  Effect.gen(function* () {
    const folder = yield* temporary
    const directory = join(folder, "home")
    mkdirSync(directory, { mode: 0o700 })
    const calls = join(folder, "calls")
    const env = {
      ...process.env,
      BELAY_TEST_THREAD: thread,
      LD_PRELOAD: shim,
      CALLS_UNDER: directory,
      CALLS_FILE: calls
    }
    const child = yield* run(program, [directory], { env })
    assert.deepStrictEqual(yield* child.ended, { code: 0, output: "" })
    return judge(readFileSync(calls, "utf8"))
  })

// Preloading is Linux's; what is asked of the system is the same elsewhere, but for the whole sync of macOS.
describe.runIf(process.platform === "linux")("an answered commit", () => {
  beforeAll(() => {
    mkdirSync(own, { recursive: true })
    const source = join(import.meta.dirname, "calls.cc")
    const made = spawnSync("g++", ["-shared", "-fPIC", "-O1", "-o", shim, source, "-ldl"], { encoding: "utf8" })
    assert.strictEqual(made.status, 0, `g++ is needed: ${made.error?.message ?? made.stderr}`)
  })

  for (const thread of ["own", "worker"]) {
    it.live(`(${thread} thread) was on the disk before it was answered, and again before its log was given up`, () =>
      Effect.gen(function* () {
        const { answers, moves, wrongs } = yield* recorded("durable", thread)
        assert.deepStrictEqual(wrongs, [])
        assert.strictEqual(answers, 24)
        assert.isAbove(moves, 0)
      })
    )
  }

  it.live("of a database that is not synced with each commit would be found", () =>
    Effect.gen(function* () {
      const { answers, wrongs } = yield* recorded("lax", "own")
      assert.strictEqual(answers, 24)
      assert.isAbove(wrongs.length, 20)
    })
  )
})
