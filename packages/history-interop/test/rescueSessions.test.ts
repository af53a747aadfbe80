/** Looks at and copies of sessions of Cline 4 and Claude Code. */
import { type Agent, Rescue } from "@belay/history-interop"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { readdirSync, readFileSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { at, type Files, fingerprint, temporary, write } from "./support/folders.ts"

const session = "1784094124598_rruoq"
const text = (words: string) => [{ type: "text", text: words }]
const call = (callId: string, name: string, input: object) => ({ type: "tool_use", id: callId, name, input })
const result = (callId: string, content: string) => [{ type: "tool_result", tool_use_id: callId, content }]

const turn = (n: number, role: string, content: unknown) => ({ id: `m${n}`, role, content, ts: at + n })
const log = (agent: string, messages: ReadonlyArray<object>) =>
  JSON.stringify({ version: 1, agent, sessionId: session, messages })
const lead = [
  turn(1, "user", text("Fix it")),
  turn(2, "assistant", [...text("Now"), call("call-1", "spawn_agent", { systemPrompt: "", task: "Count the tests" })])
]
const agentTurns = [turn(1, "user", "Count the tests"), turn(2, "assistant", text("There are 9"))]

const cline = (messages: string): Files => ({
  [`sessions/${session}/${session}.json`]: {
    version: 1,
    session_id: session,
    cwd: "/ws",
    workspace_root: "/ws",
    metadata: { title: "Fix it" }
  },
  [`sessions/${session}/${session}.messages.json`]: messages,
  [`sessions/${session}/agent_7.messages.json`]: log("agent_7", agentTurns)
})

const id = "76e23499-0000-4000-8000-000000000001"
const row = (type: string, uuid: string, parentUuid: string | null, content: unknown, more: object = {}) =>
  JSON.stringify({
    type,
    uuid,
    parentUuid,
    sessionId: id,
    cwd: "/ws",
    isSidechain: false,
    timestamp: new Date(at).toISOString(),
    message: { role: type, ...(type === "assistant" ? { id: `msg-${uuid}` } : {}), content },
    ...more
  })

const rows = [
  row("user", "u1", null, "Fix it"),
  row("assistant", "a1", "u1", [call("call-1", "Agent", { prompt: "Count the tests" })])
]
const delivered = [
  ...rows,
  row("user", "t1", "a1", result("call-1", "There are 9")),
  row("assistant", "a2", "t1", text("Well"))
]
const side = { isSidechain: true, agentId: "abc" }

const claude = (lines: ReadonlyArray<string>): Files => ({
  [`projects/-ws/${id}.jsonl`]: `${lines.join("\n")}\n`,
  [`projects/-ws/${id}/subagents/agent-abc.jsonl`]: [
    row("user", "x1", null, "Count the tests", side),
    row("assistant", "x2", "x1", text("There are 9"), side)
  ].join("\n"),
  [`projects/-ws/${id}/subagents/agent-abc.meta.json`]: { agentType: "Explore", toolUseId: "call-1" }
})

const settle = (root: string): void => {
  for (const name of readdirSync(root, { recursive: true, encoding: "utf8" }))
    utimesSync(join(root, name), at / 1000, at / 1000)
}

const withPlace = <A, E>(given: Files, body: (root: string, place: string) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const root = yield* temporary
    const place = join(root, "place")
    write(place, given)
    settle(root)
    yield* TestClock.setTime(at + 86_400_000)
    return yield* body(root, place)
  }).pipe(Effect.scoped)

const look = (agent: Agent.Agent, path: string) => Rescue.Look.at([{ agent, path }], { deep: true })

const codes = (looked: ReadonlyArray<Rescue.Look.Looked>) =>
  Rescue.Look.report(looked)
    .tasks.flatMap(({ agent, damages, id: task }) =>
      damages.map(({ class: kind, code }) => `${agent}:${task} ${kind} ${code}`)
    )
    .toSorted()

const cases: Readonly<Record<string, readonly [Agent.Agent, Files, ReadonlyArray<string>]>> = {
  "a session of Cline whose agent was never heard": [
    "cline",
    cline(log("lead", lead)),
    [`cline:${session} E subtask.undelivered`]
  ],
  "a session of Cline that is torn off": [
    "cline",
    cline(
      log("lead", [
        ...lead,
        turn(3, "user", result("call-1", "There are 9")),
        turn(4, "assistant", text("Well"))
      ]).slice(0, -30)
    ),
    [`cline:${session} B file.torn`]
  ],
  "a session of Claude Code whose agent was never heard": [
    "claude",
    claude(rows),
    [`claude:${id} E subtask.undelivered`]
  ],
  "a session of Claude Code with a line that was never written": [
    "claude",
    claude([...delivered, row("user", "u3", "never", "Go on")]),
    [`claude:${id} C claude.dangling-parent`]
  ],
  "a session of Claude Code with a torn line": [
    "claude",
    claude([...delivered, '{"type":"user","uuid":"torn', row("user", "u3", "a2", "Go on")]),
    [`claude:${id} B line.torn`]
  ]
}

describe("a look finds, and a copy puts right", () => {
  for (const [name, [agent, given, expected]] of Object.entries(cases)) {
    it.effect(name, () =>
      withPlace(given, (root, place) =>
        Effect.gen(function* () {
          const before = fingerprint(place)
          const looked = yield* look(agent, place)
          assert.deepStrictEqual(codes(looked), expected)
          const target = join(root, "rescued")
          const refs = new Set(Rescue.Look.report(looked).tasks.map(({ ref }) => ref))
          yield* Rescue.Copy.run(target, looked, refs)
          assert.strictEqual(fingerprint(place), before)
          settle(target)
          const again = yield* look(agent, join(target, agent))
          assert.deepStrictEqual(codes(again), [])
          assert.sameMembers(
            Rescue.Look.report(again).tasks.map(({ ref }) => ref),
            [...refs]
          )
        })
      )
    )
  }
})

const sound: Readonly<Record<string, readonly [Agent.Agent, Files]>> = {
  "Cline 4": ["cline", cline(log("lead", [...lead, turn(3, "user", result("call-1", "There are 9"))]))],
  "Claude Code": ["claude", claude(delivered)],
  "Claude Code, that goes on with another file, was compacted, and has lines out of their order": [
    "claude",
    claude([
      row("user", "u1", "in-another-file", "Fix it"),
      ...delivered.slice(1),
      JSON.stringify({
        type: "system",
        subtype: "compact_boundary",
        uuid: "s1",
        parentUuid: null,
        logicalParentUuid: "elsewhere"
      }),
      row("user", "u4", "s1", "What was before", { isCompactSummary: true }),
      row("assistant", "a5", "p1", text("Good")),
      JSON.stringify({ type: "progress", uuid: "p1", parentUuid: "u4" })
    ])
  ]
}

describe("a look finds nothing in what is sound", () => {
  for (const [name, [agent, given]] of Object.entries(sound)) {
    it.effect(name, () =>
      withPlace(given, (_root, place) =>
        Effect.gen(function* () {
          const looked = yield* look(agent, place)
          assert.deepStrictEqual(codes(looked), [])
          const { tasks } = Rescue.Look.report(looked)
          assert.deepStrictEqual(
            tasks.flatMap(({ children }) => children.map(({ state }) => state)),
            ["delivered"]
          )
          const expires = tasks.flatMap(({ expiresAt }) => expiresAt ?? [])
          assert.lengthOf(expires, agent === "claude" ? 1 : 0)
        })
      )
    )
  }
})

it.effect("every turn that is whole, wherever a log of a session is cut", () => {
  const turns = Array.from({ length: 8 }, (_, n) => turn(n, n % 2 === 0 ? "user" : "assistant", text(`Word ${n} "]}`)))
  const whole = log("lead", turns)
  const lines = Array.from({ length: 8 }, (_, n) =>
    row(n % 2 === 0 ? "user" : "assistant", `r${n}`, n === 0 ? null : `r${n - 1}`, text(`Word ${n}`))
  )
  const file = lines.join("\n")
  const cutsOf = (value: string) => Array.from({ length: Math.floor(value.length / 64) }, (_, n) => (n + 1) * 64)
  const given: Files = Object.fromEntries([
    ...cutsOf(whole).map((cut) => [`sessions/s${cut}/s${cut}.messages.json`, whole.slice(0, cut)] as const),
    ...cutsOf(file).map(
      (cut) =>
        [`projects/-ws/76e23499-0000-4000-8000-${String(cut).padStart(12, "0")}.jsonl`, file.slice(0, cut)] as const
    )
  ])
  return withPlace(given, (_root, place) =>
    Effect.gen(function* () {
      const found = Rescue.Look.report([...(yield* look("cline", place)), ...(yield* look("claude", place))]).tasks
      const turnsOf = (task: string) => found.find((one) => one.id === task)?.turns
      for (const cut of cutsOf(whole)) {
        assert.strictEqual(
          turnsOf(`s${cut}`),
          whole.slice(0, cut).match(/"ts":\d{13}\}/gu)?.length ?? 0,
          `cut at ${cut}`
        )
      }
      for (const cut of cutsOf(file)) {
        const complete = lines.filter((_, n) => lines.slice(0, n + 1).join("\n").length <= cut).length
        assert.strictEqual(
          turnsOf(`76e23499-0000-4000-8000-${String(cut).padStart(12, "0")}`),
          complete,
          `cut at ${cut}`
        )
      }
    })
  )
})

it.effect("a copy of a session of Claude Code is a chain from its last line to its first", () =>
  withPlace(claude([...rows, '{"torn', row("user", "u3", "never", "Go on")]), (root, place) =>
    Effect.gen(function* () {
      yield* Rescue.Copy.run(join(root, "rescued"), yield* look("claude", place), new Set([`claude:${id}`]))
      const written = readFileSync(join(root, `rescued/claude/projects/-ws/${id}.jsonl`), "utf8")
        .trimEnd()
        .split("\n")
      const found = written.map((line): { uuid: string; parentUuid: string | null } => JSON.parse(line))
      const byId = new Map(found.map((one) => [one.uuid, one]))
      let reached = 0
      for (let one = found.at(-1); one !== undefined; one = byId.get(one.parentUuid ?? "")) reached++
      assert.strictEqual(reached, found.length)
    })
  )
)
