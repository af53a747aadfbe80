/** Sessions of pi, compressed ones of Codex, and of Cline 4 those whose record only its database has. */
import { Import, type Agent, Rescue } from "@belay/history-interop"
import { TaskHistory } from "@belay/history-store"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, readdirSync, readFileSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { zstdCompressSync } from "node:zlib"
import {
  at,
  contents,
  type Files,
  fingerprint,
  id,
  optionsOf,
  record,
  row,
  withFolder,
  write
} from "./support/folders.ts"

const session = "76e23499-0000-4000-8000-000000000001"
const iso = new Date(at).toISOString()

const lines = (rows: ReadonlyArray<object | string>): string =>
  rows.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).join("\n")

const entry = (type: string, own: string, parentId: string | null, more: object) => ({
  type,
  id: own,
  parentId,
  timestamp: iso,
  ...more
})
const message = (own: string, parentId: string | null, value: object) =>
  entry("message", own, parentId, { message: value })
const said = (words: string) => [{ type: "text", text: words }]
const header = { type: "session", version: 3, id: session, timestamp: iso, cwd: "/ws", parentSession: "/old.jsonl" }
const usage = { input: 6, output: 2, cacheRead: 4, cacheWrite: 0, cost: { total: 0.5 } }

const pi = (rows: ReadonlyArray<object | string>): Files => ({
  [`sessions/--ws--/2026-07-18T00-00-00-000Z_${session}.jsonl`]: lines([header, ...rows])
})
const conversation = [
  message("m1", null, { role: "user", content: "Fix it" }),
  message("m2", "m1", { role: "assistant", content: said("Old"), usage }),
  message("b1", "m2", { role: "user", content: "Another way" }),
  message("m3", "m2", { role: "user", content: said("Go on") }),
  entry("compaction", "c1", "m3", { summary: "It was about a.ts", firstKeptEntryId: "m3", tokensBefore: 1 }),
  message("m4", "c1", {
    role: "assistant",
    content: [...said("Now"), { type: "toolCall", id: "t1", name: "bash", arguments: { command: "ls" } }]
  }),
  message("m5", "m4", {
    role: "toolResult",
    toolCallId: "t1",
    toolName: "bash",
    content: said("a.ts"),
    isError: false
  }),
  entry("label", "l1", "m5", { targetId: "m1", label: "here" }),
  entry("session_info", "s1", "l1", { name: "Mine" })
]

const settle = (root: string): void => {
  for (const name of readdirSync(root, { recursive: true, encoding: "utf8" }))
    utimesSync(join(root, name), at / 1000, at / 1000)
}

const imported = (root: string, place: string) =>
  Effect.gen(function* () {
    const before = fingerprint(join(root, place))
    const plan = yield* Import.plan(join(root, place))
    const report = yield* Import.run(plan, optionsOf(root))
    assert.strictEqual(fingerprint(join(root, place)), before)
    return { plan, report, told: report.repairs.map(({ detail, rule }) => `${rule}: ${detail}`).join("\n") }
  })

const damages = (agent: Agent.Agent, path: string) =>
  Effect.map(Rescue.Look.at([{ agent, path }], { deep: true }), (looked) => ({
    looked,
    codes: Rescue.Look.report(looked).tasks.flatMap((task) =>
      task.damages.map(({ class: kind, code }) => `${kind} ${code}`)
    )
  }))

it.effect("a session of pi is its newest branch, with its calls and costs; what is not kept is said", () =>
  withFolder({}, (root) =>
    Effect.gen(function* () {
      write(join(root, "pi"), pi(conversation))
      const { plan, told } = yield* imported(root, "pi")
      assert.deepStrictEqual([plan.folder.agent, plan.counts.importable], ["pi", 1])
      const words = JSON.stringify(yield* contents(session))
      for (const one of ["Fix it", "Go on", "It was about", '"name":"bash"', "a.ts"]) assert.include(words, one)
      assert.notInclude(words, "Another way")
      const { meta, usage: spent } = yield* row(session)
      assert.deepStrictEqual([meta.title, meta.workspace, spent.inputTokens, spent.costUsd], ["Fix it", "/ws", 6, 0.5])
      const shown = JSON.stringify((yield* TaskHistory.use((history) => history.shown(id(session)))).messages)
      assert.notInclude(shown, "Old")
      assert.include(shown, "Go on")
      for (const one of ["branchesLeftOut: 1 of", "notKept: 1 of", "from the session /old.jsonl"])
        assert.include(told, one)
      assert.notInclude(told, "reparented")
    })
  )
)

it.effect("a session of pi with a torn line and one that was never written is found, and its copy is sound", () =>
  withFolder({}, (root) =>
    Effect.gen(function* () {
      write(
        join(root, "pi"),
        pi([...conversation, '{"type":"mess', message("m6", "never", { role: "user", content: "Then" })])
      )
      settle(join(root, "pi"))
      const { codes, looked } = yield* damages("pi", join(root, "pi"))
      assert.deepStrictEqual(codes, ["B line.torn", "C pi.dangling-parent"])
      yield* Rescue.Copy.run(join(root, "rescued"), looked, new Set([`pi:${session}`]))
      settle(join(root, "rescued"))
      assert.deepStrictEqual((yield* damages("pi", join(root, "rescued/pi"))).codes, [])
      write(join(root, "sound"), pi(conversation))
      settle(join(root, "sound"))
      assert.deepStrictEqual((yield* damages("pi", join(root, "sound"))).codes, [])
    })
  )
)

const rollout = [
  { timestamp: iso, type: "session_meta", payload: { id: session, cwd: "/ws", source: "cli" } },
  { timestamp: iso, type: "event_msg", payload: { type: "user_message", message: "Fix it" } },
  ...["user", "assistant"].map((role) => ({
    timestamp: iso,
    type: "response_item",
    payload: { type: "message", role, content: [{ type: "input_text", text: `Words of ${role}` }] }
  })),
  { timestamp: iso, type: "response_item", payload: { type: "reasoning", summary: [], encrypted_content: "x" } }
]

it.effect("a compressed session of Codex is read like one that is not, and what is whole of a torn one is kept", () =>
  withFolder({}, (root) =>
    Effect.gen(function* () {
      const packed = zstdCompressSync(lines(rollout))
      const name = `sessions/2026/07/18/rollout-2026-07-18T00-00-00-${session}.jsonl.zst`
      write(join(root, "codex"), { [name]: packed })
      write(join(root, "torn"), { [name]: packed.subarray(0, packed.length - 4) })
      settle(root)
      assert.deepStrictEqual((yield* damages("codex", join(root, "codex"))).codes, [])
      assert.deepStrictEqual((yield* damages("codex", join(root, "torn"))).codes, ["B file.torn"])
      const { looked } = yield* damages("codex", join(root, "codex"))
      yield* Rescue.Copy.run(join(root, "rescued"), looked, new Set([`codex:${session}`]))
      assert.deepStrictEqual(readFileSync(join(root, "rescued/codex", name)), Buffer.from(packed))
      const { told } = yield* imported(root, "codex")
      assert.include(told, "notKept: 1 of its thoughts")
      const words = JSON.stringify(yield* contents(session))
      for (const role of ["user", "assistant"]) assert.include(words, `Words of ${role}`)
    })
  )
)

it.effect("a session of Cline whose record is gone is what its database says, also what stands in its log alone", () =>
  withFolder({}, (root) =>
    Effect.gen(function* () {
      const place = join(root, "cline")
      const turn = { id: "m1", role: "user", content: said("Hi"), ts: at }
      write(place, { "sessions/s1/s1.messages.json": { version: 1, sessionId: "s1", messages: [turn] } })
      mkdirSync(join(place, "db"))
      const db = new DatabaseSync(join(place, "db/sessions.db"))
      db.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
      db.exec(
        "CREATE TABLE sessions (session_id TEXT, workspace_root TEXT, prompt TEXT, is_subagent INTEGER, metadata_json TEXT)"
      )
      db.exec(
        `INSERT INTO sessions VALUES ('s1', '/ws', 'Fix it', 0, '{"mode":"plan"}'), ('s1__a', '/ws', 'Count', 1, NULL)`
      )
      settle(place)
      const { report, told } = yield* imported(root, "cline")
      assert.deepStrictEqual(report.skipped, [])
      assert.include(told, "recordMissing: its record was taken from the list of sessions")
      const { meta } = yield* row("s1")
      assert.deepStrictEqual([meta.title, meta.workspace, meta.mode], ["Fix it", "/ws", "plan"])
      assert.strictEqual((yield* record("s1")).status, "interrupted")
      db.close()
    })
  )
)

/** Each line is a turn. */
const logs = {
  pi: (n: number) =>
    message(`m${n}`, n === 0 ? null : `m${n - 1}`, {
      role: n % 2 === 0 ? "user" : "assistant",
      content: said(`Word ${n}`)
    }),
  codex: (n: number) => ({
    timestamp: iso,
    type: "response_item",
    payload: {
      type: "message",
      role: n % 2 === 0 ? "user" : "assistant",
      content: [{ type: "input_text", text: `Word ${n}` }]
    }
  })
}

for (const agent of ["pi", "codex"] as const) {
  it.effect(`every turn that is whole, wherever a log of ${agent} is cut`, () =>
    withFolder({}, (root) =>
      Effect.gen(function* () {
        const rows = Array.from({ length: 8 }, (_, n) => JSON.stringify(logs[agent](n)))
        const whole = rows.join("\n")
        const cuts = Array.from({ length: Math.floor(whole.length / 64) }, (_, n) => (n + 1) * 64)
        const idOf = (cut: number) => `76e23499-0000-4000-8000-${String(cut).padStart(12, "0")}`
        const day =
          agent === "pi"
            ? "sessions/--ws--/2026-07-18T00-00-00-000Z_"
            : "sessions/2026/07/18/rollout-2026-07-18T00-00-00-"
        write(
          join(root, agent),
          Object.fromEntries(cuts.map((cut) => [`${day}${idOf(cut)}.jsonl`, whole.slice(0, cut)]))
        )
        settle(join(root, agent))
        const { looked } = yield* damages(agent, join(root, agent))
        const found = new Map(Rescue.Look.report(looked).tasks.map(({ id: task, turns }) => [task, turns]))
        for (const cut of cuts) {
          const complete = rows.filter((_, n) => rows.slice(0, n + 1).join("\n").length <= cut).length
          assert.strictEqual(found.get(idOf(cut)), complete, `cut at ${cut}`)
        }
      })
    )
  )
}
