/** Sessions of opencode: in its databases and in files, with what an agent found and was never told. */
import { Import, Rescue } from "@belay/history-interop"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, readdirSync, readFileSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { at, contents, type Files, fingerprint, optionsOf, record, row, withFolder, write } from "./support/folders.ts"

interface Said {
  readonly id: string
  readonly info: object
  readonly parts: ReadonlyArray<Readonly<Record<string, unknown>> & { readonly id: string }>
}

interface Session {
  readonly id: string
  readonly parentID?: string
  readonly messages: ReadonlyArray<Said>
}

const time = { created: at, updated: at }
const text = (id: string, words: string) => ({ id, type: "text", text: words })
const tool = (id: string, name: string, state: object) => ({ id, type: "tool", callID: `c_${id}`, tool: name, state })
const user = (id: string, words: string): Said => ({
  id,
  info: { role: "user", time, agent: "build" },
  parts: [text(`${id}_p`, words)]
})
const assistant = (id: string, ...parts: Said["parts"]): Said => ({
  id,
  info: { role: "assistant", time, cost: 0.5, tokens: { input: 6, output: 2, cache: { read: 4, write: 0 } } },
  parts
})

/** `state` of the call for the agent. */
const family = (state: object, ...beside: Said["parts"]): ReadonlyArray<Session> => [
  {
    id: "ses_parent",
    messages: [
      user("msg_1", "Fix it"),
      assistant(
        "msg_2",
        text("prt_1", "Now"),
        tool("prt_2", "bash", { status: "completed", input: { command: "ls" }, output: "a.ts" })
      ),
      assistant(
        "msg_3",
        ...beside,
        tool("prt_3", "task", { input: { prompt: "Count" }, time: { start: at }, ...state })
      )
    ]
  },
  {
    id: "ses_child",
    parentID: "ses_parent",
    messages: [user("msg_4", "Count the tests"), assistant("msg_5", text("prt_5", "There are 9"))]
  }
]
/** Two calls are open, and one of them names the session. */
const open = family(
  { status: "running", metadata: { sessionId: "ses_child" } },
  tool("prt_0", "task", { status: "running", input: { prompt: "Search" } })
)
const heard = family({
  status: "completed",
  metadata: { sessionId: "ses_child" },
  output: "task_id: ses_child\nThere are 9"
})

const asFiles = (sessions: ReadonlyArray<Session>): Files =>
  Object.fromEntries(
    sessions.flatMap(({ id, messages, parentID }) => [
      [
        `storage/session/p1/${id}.json`,
        {
          id,
          projectID: "p1",
          directory: "/ws",
          title: `Title of ${id}`,
          time,
          ...(parentID === undefined ? {} : { parentID })
        }
      ] as const,
      ...messages.flatMap((said) => [
        [`storage/message/${id}/${said.id}.json`, { ...said.info, id: said.id, sessionID: id }] as const,
        ...said.parts.map(
          (part) => [`storage/part/${said.id}/${part.id}.json`, { ...part, messageID: said.id, sessionID: id }] as const
        )
      ])
    ])
  )

/** Its newest rows are in the log beside it while it is open. */
const inDatabase = (file: string, sessions: ReadonlyArray<Session>): DatabaseSync => {
  const db = new DatabaseSync(file)
  db.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
  db.exec(
    "CREATE TABLE session (id TEXT, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT, version TEXT, revert TEXT, time_created INT, time_updated INT)"
  )
  db.exec("CREATE TABLE message (id TEXT, session_id TEXT, time_created INT, data TEXT)")
  db.exec("CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT)")
  for (const { id, messages, parentID } of sessions) {
    db.prepare("INSERT INTO session VALUES (?, 'p1', ?, '/ws', ?, '1', NULL, ?, ?)").run(
      id,
      parentID ?? null,
      `Title of ${id}`,
      at,
      at
    )
    for (const said of messages) {
      db.prepare("INSERT INTO message VALUES (?, ?, ?, ?)").run(said.id, id, at, JSON.stringify(said.info))
      for (const { id: part, ...data } of said.parts) {
        db.prepare("INSERT INTO part VALUES (?, ?, ?, ?)").run(part, said.id, id, JSON.stringify(data))
      }
    }
  }
  return db
}

const settle = (root: string): void => {
  for (const name of readdirSync(root, { recursive: true, encoding: "utf8" }))
    utimesSync(join(root, name), at / 1000, at / 1000)
}

const look = (path: string) => Rescue.Look.at([{ agent: "opencode", path }], { deep: true })

const codes = (looked: ReadonlyArray<Rescue.Look.Looked>) =>
  Rescue.Look.report(looked).tasks.flatMap(({ damages, id }) =>
    damages.map(({ class: kind, code }) => `${id} ${kind} ${code}`)
  )

const stores = {
  "its database": (place: string, sessions: ReadonlyArray<Session>) => {
    mkdirSync(place, { recursive: true })
    return inDatabase(join(place, "opencode.db"), sessions)
  },
  "files of an older version": (place: string, sessions: ReadonlyArray<Session>) => write(place, asFiles(sessions))
}

for (const [name, store] of Object.entries(stores)) {
  it.effect(`what an agent found is delivered, from ${name}: in a copy and in an import`, () =>
    withFolder({}, (root) =>
      Effect.gen(function* () {
        const place = join(root, "opencode")
        const db = store(place, open)
        settle(place)
        const before = fingerprint(place)
        const looked = yield* look(place)
        assert.deepStrictEqual(codes(looked), ["ses_parent E subtask.undelivered"])
        const target = join(root, "rescued")
        yield* Rescue.Copy.run(target, looked, new Set(["opencode:ses_parent", "opencode:ses_child"]))
        const again = yield* look(join(target, "opencode"))
        assert.deepStrictEqual(codes(again), [])
        const part = JSON.parse(readFileSync(join(target, "opencode/storage/part/msg_3/prt_3.json"), "utf8"))
        assert.deepStrictEqual([part.state.status, part.callID], ["completed", "c_prt_3"])
        assert.include(part.state.output, "There are 9")
        assert.strictEqual((yield* Rescue.Copy.run(target, looked, new Set(["opencode:ses_child"]))).before, 1)
        const report = yield* Import.run(yield* Import.plan(place), optionsOf(root))
        assert.lengthOf(report.imported, 2)
        assert.strictEqual(fingerprint(place), before)
        assert.include(JSON.stringify(yield* contents("ses_parent")), '"a.ts"')
        const { meta, usage } = yield* row("ses_parent")
        assert.deepStrictEqual([meta.title, meta.workspace, usage.inputTokens, usage.costUsd], ["Fix it", "/ws", 12, 1])
        const [parent, child] = [yield* record("ses_parent"), yield* record("ses_child")]
        assert.deepStrictEqual(
          [child.status, child.lineage.parentId, parent.status],
          ["completed", parent.id, "interrupted"]
        )
        assert.include(JSON.stringify(parent), "There are 9")
        db?.close()
      })
    )
  )
}

it.effect("what is sound raises no alarm, and what its program no longer looks for is found where it is", () =>
  withFolder({}, (root) =>
    Effect.gen(function* () {
      const place = join(root, "opencode")
      const db = stores["its database"](place, heard)
      assert.deepStrictEqual(codes(yield* look(place)), [])
      const other = inDatabase(join(place, "opencode-dev.db"), [{ id: "ses_dev", messages: [user("msg_9", "Try it")] }])
      write(place, asFiles([{ id: "ses_old", messages: [user("msg_8", "Try it")] }]))
      assert.deepStrictEqual(codes(yield* look(place)).toSorted(), [
        "ses_dev G opencode.other-store",
        "ses_old G opencode.other-store"
      ])
      for (const one of [db, other]) one.close()
    })
  )
)
