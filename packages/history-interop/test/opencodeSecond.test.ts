/** Sessions of opencode 2, in the tables that it adds to the database of the older version; and what was cut of a conversation. */
import { Import, Rescue } from "@belay/history-interop"
import { TaskHistory } from "@belay/history-store"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, readdirSync, readFileSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { at, contents, fingerprint, id, optionsOf, record, row, withFolder } from "./support/folders.ts"

const time = { created: at, completed: at }
const tokens = { input: 6, output: 2, reasoning: 0, cache: { read: 4, write: 0 } }
const user = (text: string) => ["user", { time, text, files: [] }] as const
const assistant = (...content: ReadonlyArray<object>) =>
  ["assistant", { time, agent: "build", content, finish: "stop", cost: 0.5, tokens }] as const
const text = (words: string) => ({ type: "text", text: words })
const tool = (own: string, name: string, state: object) => ({
  type: "tool",
  id: own,
  name,
  executed: false,
  state,
  time
})
const idle = ["idle", { time, outcome: "succeeded" }] as const
type Row = readonly [type: string, data: object]

/** A database as version 2.0 makes it beside the tables of version 1. */
const open = (file: string): DatabaseSync => {
  mkdirSync(join(file, ".."), { recursive: true })
  const db = new DatabaseSync(file)
  db.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
  const columns =
    "id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT, version TEXT, revert TEXT, time_created INT, time_updated INT"
  for (const table of ["session", "session_v2"]) db.exec(`CREATE TABLE ${table} (${columns})`)
  db.exec("CREATE TABLE message (id TEXT, session_id TEXT, time_created INT, data TEXT)")
  db.exec("CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT)")
  db.exec(
    "CREATE TABLE session_message (id TEXT PRIMARY KEY, session_id TEXT, type TEXT, seq INT, time_created INT, time_updated INT, data TEXT)"
  )
  return db
}

const session = (db: DatabaseSync, table: string, own: string, parent: string | null, revert: object | null = null) =>
  db
    .prepare(`INSERT INTO ${table} VALUES (?, 'p1', ?, '/ws', ?, '2.0.26', ?, ?, ?)`)
    .run(own, parent, `Title of ${own}`, revert === null ? null : JSON.stringify(revert), at, at)

const rows = (db: DatabaseSync, own: string, all: ReadonlyArray<Row>): void => {
  for (const [n, [type, data]] of all.entries()) {
    db.prepare("INSERT INTO session_message VALUES (?, ?, ?, ?, ?, ?, ?)").run(
      `msg_${own}_${n}`,
      own,
      type,
      n * 3,
      at,
      at,
      JSON.stringify(data)
    )
  }
}

/** A parent whose agent has ended; `state` is that of its call. */
const family = (db: DatabaseSync, state: object): void => {
  session(db, "session_v2", "ses_p", "")
  session(db, "session_v2", "ses_c", "ses_p")
  rows(db, "ses_p", [
    user("Fix it"),
    assistant(
      { type: "reasoning", text: "hm" },
      tool("call_1", "shell", { status: "completed", input: { command: "ls" }, content: [text("a.ts")] })
    ),
    assistant(tool("call_0", "read", { status: "error", input: { path: "x" }, error: { message: "no such file" } })),
    assistant(tool("call_2", "subagent", { input: { agent: "general", prompt: "Count" }, ...state }))
  ])
  rows(db, "ses_c", [user("You are a subagent.\nCount"), assistant(text("There are 9")), idle])
}

const settle = (root: string): void => {
  for (const name of readdirSync(root, { recursive: true, encoding: "utf8" }))
    utimesSync(join(root, name), at / 1000, at / 1000)
}

const look = (path: string) => Rescue.Look.at([{ agent: "opencode", path }], { deep: true })

const codes = (looked: ReadonlyArray<Rescue.Look.Looked>) =>
  Rescue.Look.report(looked)
    .tasks.flatMap(({ damages, id: own }) => damages.map(({ class: kind, code }) => `${own} ${kind} ${code}`))
    .toSorted()

it.effect("what an agent of opencode 2 found is delivered, in a copy and in an import", () =>
  withFolder({}, (root) =>
    Effect.gen(function* () {
      const place = join(root, "opencode")
      const db = open(join(place, "opencode.db"))
      family(db, { status: "running", metadata: { sessionID: "ses_c", status: "running" } })
      settle(place)
      const before = fingerprint(place)
      const looked = yield* look(place)
      assert.deepStrictEqual(codes(looked), ["ses_p E subtask.undelivered"])
      const target = join(root, "rescued")
      yield* Rescue.Copy.run(target, looked, new Set(["opencode:ses_p", "opencode:ses_c"]))
      assert.deepStrictEqual(codes(yield* look(join(target, "opencode"))), [])
      const part = join(target, "opencode/storage/part/msg_ses_p_3/prt_ses_p_3_000.json")
      assert.include(readFileSync(part, "utf8"), "There are 9")
      assert.lengthOf((yield* Import.run(yield* Import.plan(place), optionsOf(root))).imported, 2)
      assert.strictEqual(fingerprint(place), before)
      const { meta, usage } = yield* row("ses_p")
      assert.deepStrictEqual([meta.title, meta.workspace, usage.inputTokens, usage.costUsd], ["Fix it", "/ws", 18, 1.5])
      const said = JSON.stringify(yield* contents("ses_p"))
      for (const words of ["[thought] hm", '"a.ts"', "no such file"]) assert.include(said, words)
      const [parent, child] = [yield* record("ses_p"), yield* record("ses_c")]
      assert.deepStrictEqual([child.status, child.lineage.parentId], ["completed", parent.id])
      assert.include(JSON.stringify(parent), "There are 9")
      db.close()
    })
  )
)

it.effect("what an agent of opencode 2 found beside its parent is a message to it", () =>
  withFolder({}, (root) =>
    Effect.gen(function* () {
      const place = join(root, "opencode")
      const db = open(join(place, "opencode.db"))
      const begun = "The subagent is working in the background (sessionID: ses_c)."
      family(db, { status: "completed", content: [text(begun)], metadata: { sessionID: "ses_c", status: "running" } })
      settle(place)
      const looked = yield* look(place)
      assert.deepStrictEqual(codes(looked), ["ses_p E subtask.undelivered"])
      const target = join(root, "rescued")
      yield* Rescue.Copy.run(target, looked, new Set(["opencode:ses_p", "opencode:ses_c"]))
      assert.deepStrictEqual(codes(yield* look(join(target, "opencode"))), [])
      yield* Import.run(yield* Import.plan(place), optionsOf(root))
      assert.include(JSON.stringify(yield* record("ses_p")), "There are 9")
      db.close()
    })
  )
)

it.effect("what is sound raises no alarm; a session that opencode 2 never took over is found and imported", () =>
  withFolder({}, (root) =>
    Effect.gen(function* () {
      const place = join(root, "opencode")
      const db = open(join(place, "opencode.db"))
      const answer = '<subagent sessionID="ses_c" state="completed">\nThere are 9\n</subagent>'
      family(db, {
        status: "completed",
        content: [text(answer)],
        metadata: { sessionID: "ses_c", status: "completed" }
      })
      // What was taken over is in both tables, and counts once.
      session(db, "session", "ses_p", null)
      assert.deepStrictEqual(codes(yield* look(place)), [])
      session(db, "session", "ses_old", null)
      db.prepare("INSERT INTO message VALUES ('msg_1', 'ses_old', 1, ?)").run(JSON.stringify({ role: "user", time }))
      db.prepare("INSERT INTO part VALUES ('prt_1', 'msg_1', 'ses_old', ?)").run(JSON.stringify(text("Try it")))
      assert.deepStrictEqual(codes(yield* look(place)), ["ses_old G opencode.other-store"])
      assert.lengthOf((yield* Import.run(yield* Import.plan(place), optionsOf(root))).imported, 3)
      assert.include(JSON.stringify(yield* contents("ses_old")), "Try it")
      db.close()
    })
  )
)

it.effect(
  "a model of a session is shown what opencode showed it: after a summary, and before what was taken back",
  () =>
    withFolder({}, (root) =>
      Effect.gen(function* () {
        const db = open(join(root, "opencode/opencode.db"))
        const talk = [user("W1"), assistant(text("W2")), user("W3"), assistant(text("W4")), user("W5")]
        session(db, "session_v2", "ses_short", null)
        const summary = ["compaction", { time, reason: "auto", summary: "It was W", recent: "R" }] as const
        rows(db, "ses_short", [...talk.slice(0, 4), summary, user("W5")])
        session(db, "session_v2", "ses_back", null, { messageID: "msg_ses_back_2" })
        rows(db, "ses_back", talk)
        const earlier = (own: string, all: ReadonlyArray<readonly [info: object, ...parts: ReadonlyArray<object>]>) => {
          for (const [n, [info, ...parts]] of all.entries()) {
            db.prepare("INSERT INTO message VALUES (?, ?, ?, ?)").run(`msg_${own}_${n}`, own, n, JSON.stringify(info))
            for (const [k, part] of parts.entries()) {
              db.prepare("INSERT INTO part VALUES (?, ?, ?, ?)").run(
                `prt_${own}_${n}_${k}`,
                `msg_${own}_${n}`,
                own,
                JSON.stringify(part)
              )
            }
          }
        }
        const [asks, says] = [
          { role: "user", time },
          { role: "assistant", time }
        ]
        session(db, "session", "ses_part", null, { messageID: "msg_ses_part_1", partID: "prt_ses_part_1_1" })
        earlier("ses_part", [
          [asks, text("W1")],
          [says, text("W2"), text("W3")],
          [asks, text("W4")]
        ])
        session(db, "session", "ses_sum", null)
        earlier("ses_sum", [
          [asks, text("W1")],
          [says, text("W2")],
          [asks, { type: "compaction", auto: true }],
          [{ ...says, summary: true, finish: "stop" }, text("It was W")],
          [asks, text("W5")]
        ])
        session(db, "session", "ses_broken", null)
        earlier("ses_broken", [
          [asks, text("W1")],
          [says, text("W2")],
          [asks, { type: "compaction", auto: true }],
          [{ role: "assistant", time: { created: at }, summary: true }, text("It was")]
        ])
        yield* Import.run(yield* Import.plan(join(root, "opencode")), optionsOf(root))
        const history = yield* TaskHistory
        const shown = (task: string) =>
          Effect.map(history.shown(id(task)), ({ messages }) => {
            const said = messages.map(({ content }) => JSON.stringify(content)).join()
            return ["W1", "W2", "W3", "W4", "W5", "It was"].filter((words) => said.includes(words)).join(" ")
          })
        // What was asked for first stays.
        assert.strictEqual(yield* shown("ses_short"), "W1 W5 It was")
        assert.strictEqual(yield* shown("ses_back"), "W1 W2")
        assert.strictEqual(yield* shown("ses_part"), "W1 W2")
        assert.strictEqual(yield* shown("ses_sum"), "W1 W5 It was")
        assert.strictEqual(yield* shown("ses_broken"), "W1 W2 It was")
        db.close()
      })
    )
)
