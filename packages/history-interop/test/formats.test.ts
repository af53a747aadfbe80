/** Sessions of Cline 4 and of Claude Code with their agents, as these programs write them. */
import { Import } from "@belay/history-interop"
import { TaskHistory } from "@belay/history-store"
import { TaskRecord } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { at, contents, fingerprint, id, optionsOf, record, row, told, withFolder, write } from "./support/folders.ts"

const session = "1784094124598_rruoq"
const text = (words: string) => [{ type: "text", text: words }]

const cline = (
  folder: string,
  { ended = true, answer = "" }: { readonly ended?: boolean; readonly answer?: string } = {}
): void => {
  const turn = (n: number, role: string, content: unknown, more: object = {}) => ({
    id: `m${n}`,
    role,
    content,
    ts: at + n,
    ...more
  })
  const metrics = { inputTokens: 10, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0, cost: 0.25 }
  const spawn = {
    type: "tool_use",
    id: "call-1",
    name: "spawn_agent",
    input: { systemPrompt: "Count", task: "Count the tests" }
  }
  const result = { type: "tool_result", tool_use_id: "call-1", name: "spawn_agent", content: answer }
  const messages = [
    turn(1, "user", [...text("Fix it"), { type: "file", path: "/ws/a.ts", content: "let a" }]),
    turn(2, "assistant", [{ type: "tool_use", id: "r", name: "read_files", input: {} }], { metrics }),
    turn(3, "user", [
      { type: "tool_result", tool_use_id: "r", content: [{ query: "/ws/a.ts", result: "let a = 1", success: true }] }
    ]),
    turn(4, "assistant", [...text("Now"), spawn], { metrics }),
    ...(answer === "" ? [] : [turn(5, "user", [result])])
  ]
  const agent = [
    turn(1, "user", "Count the tests"),
    turn(2, "assistant", ended ? text("There are 9") : [{ type: "tool_use", id: "x", name: "bash", input: {} }])
  ]
  const of = (agentName: string, list: ReadonlyArray<object>) => ({
    version: 1,
    updated_at: "2026-07-15T05:42:04.818Z",
    agent: agentName,
    sessionId: session,
    messages: list
  })
  write(join(folder, "sessions", session), {
    [`${session}.json`]: {
      version: 1,
      session_id: session,
      source: "cli",
      pid: 1,
      started_at: "2026-07-15T05:42:04.609Z",
      status: "completed",
      interactive: true,
      provider: "cline",
      model: "m",
      cwd: "/ws",
      workspace_root: "/ws",
      metadata: { mode: "plan", title: "Fix it" }
    },
    [`${session}.messages.json`]: of("lead", messages),
    "agent_7.messages.json": of("agent_7", agent)
  })
}

const seen = (root: string, folder: string) =>
  Effect.gen(function* () {
    const before = fingerprint(join(root, folder))
    const plan = yield* Import.plan(join(root, folder))
    const report = yield* Import.run(plan, optionsOf(root))
    assert.strictEqual(fingerprint(join(root, folder)), before)
    assert.deepStrictEqual((yield* Import.run(yield* Import.plan(join(root, folder)), optionsOf(root))).imported, [])
    return { plan, report, ...told(report) }
  })

describe("a session of Cline 4", () => {
  it.effect("comes with its agents: what one found reaches the call that asked for it", () =>
    withFolder({}, (root) =>
      Effect.gen(function* () {
        cline(join(root, "data"))
        const { imported, plan } = yield* seen(root, "data")
        assert.strictEqual(plan.folder.agent, "cline")
        const agent = `${session}__agent_7`
        assert.deepStrictEqual(imported, [`${session}:interrupted`, `${agent}:completed`])
        const { meta, usage } = yield* row(session)
        assert.deepStrictEqual([meta.workspace, meta.mode, meta.title, usage.costUsd], ["/ws", "plan", "Fix it", 0.5])
        assert.strictEqual((yield* record(agent)).lineage.parentId, id(session))
        const words = JSON.stringify(yield* contents(session))
        for (const one of ["let a = 1", "[file /ws/a.ts]", "There are 9"]) assert.include(words, one)
      })
    )
  )

  it.effect("waits for an agent that was stopped, and has heard of one whose result it has", () =>
    withFolder({}, (root) =>
      Effect.gen(function* () {
        cline(join(root, "stopped"), { ended: false })
        yield* seen(root, "stopped")
        assert.deepStrictEqual(TaskRecord.awaitedIds(yield* record(session)), [id(`${session}__agent_7`)])
      })
    )
  )

  it.effect("shows the model what was compacted as it was compacted", () =>
    withFolder({}, (root) =>
      Effect.gen(function* () {
        cline(join(root, "data"), { answer: '{"text":"There are 9","iterations":1}' })
        write(join(root, "data/sessions", session), {
          [`${session}.compaction.json`]: {
            version: 1,
            messages: [
              { id: "m1", role: "user", content: text("Fix it (compacted)"), metadata: { kind: "compaction" } },
              { id: "m4", role: "assistant", content: text("Now") }
            ]
          }
        })
        yield* seen(root, "data")
        const { messages } = yield* TaskHistory.use((history) => history.shown(id(session)))
        const words = JSON.stringify(messages)
        assert.include(words, "Fix it (compacted)")
        assert.notInclude(words, "let a = 1")
        assert.include(JSON.stringify(yield* contents(session)), "let a = 1")
      })
    )
  )
})

const claude = "76e23499-0000-4000-8000-000000000001"

interface Line {
  readonly uuid: string
  readonly parentUuid?: string | null
}

const lineOf = (type: "user" | "assistant", line: Line, message: object, more: object = {}) =>
  JSON.stringify({
    type,
    sessionId: claude,
    cwd: "/ws",
    isSidechain: false,
    timestamp: new Date(at).toISOString(),
    parentUuid: null,
    ...line,
    message: { role: type, ...message },
    ...more
  })

const usage = { input_tokens: 10, output_tokens: 2 }
const use = (callId: string, name = "Agent", input: object = { prompt: "Count the tests" }) => ({
  type: "tool_use",
  id: callId,
  name,
  input
})
const answered = (callId: string, content: unknown) => [{ type: "tool_result", tool_use_id: callId, content }]

/** Two calls in one message, each answered beside the other; the agent ended, and nobody was told. */
const lines = [
  JSON.stringify({ type: "file-history-snapshot", messageId: "m", snapshot: {} }),
  lineOf("user", { uuid: "u1" }, { content: "Fix it" }),
  lineOf(
    "assistant",
    { uuid: "a1", parentUuid: "u1" },
    { id: "msg_1", content: [{ type: "thinking", thinking: "Hm", signature: "s" }], usage }
  ),
  lineOf("assistant", { uuid: "a2", parentUuid: "a1" }, { id: "msg_1", content: [use("r1", "Read", {})], usage }),
  lineOf("assistant", { uuid: "a3", parentUuid: "a2" }, { id: "msg_1", content: [use("r2", "Read", {})], usage }),
  lineOf("user", { uuid: "b1", parentUuid: "a1" }, { content: "Another branch" }),
  lineOf("user", { uuid: "t1", parentUuid: "a2" }, { content: answered("r1", "First") }),
  lineOf("user", { uuid: "t2", parentUuid: "a3" }, { content: answered("r2", "Second") }),
  lineOf("assistant", { uuid: "a4", parentUuid: "never-written" }, { id: "msg_2", content: text("Well"), usage }),
  lineOf("user", { uuid: "u2", parentUuid: "a4" }, { content: "Go on" })
]

const agentLines = (last: object) => [
  lineOf("user", { uuid: "x1" }, { content: "Count the tests" }, { isSidechain: true, agentId: "abc" }),
  lineOf(
    "assistant",
    { uuid: "x2", parentUuid: "x1" },
    { id: "msg_a", content: [last], usage },
    { isSidechain: true, agentId: "abc" }
  )
]

const project = "projects/-ws"

const transcript = (
  root: string,
  more: ReadonlyArray<string>,
  last: object = { type: "text", text: "There are 9" }
): void =>
  write(join(root, "claude"), {
    [`${project}/${claude}.jsonl`]: [...lines, ...more, '{"type":"user","uuid":"torn'].join("\n"),
    [`${project}/${claude}/subagents/agent-abc.jsonl`]: agentLines(last).join("\n"),
    [`${project}/${claude}/subagents/agent-abc.meta.json`]: {
      agentType: "Explore",
      description: "Count",
      toolUseId: "call-1"
    }
  })

describe("a session of Claude Code", () => {
  it.effect("is its newest branch, whole: with all calls of a message, and past a line that was never written", () =>
    withFolder({}, (root) =>
      Effect.gen(function* () {
        transcript(root, [
          lineOf("assistant", { uuid: "a5", parentUuid: "u2" }, { id: "msg_3", content: [use("call-1")], usage })
        ])
        const { plan, repairs } = yield* seen(root, "claude")
        assert.deepStrictEqual([plan.folder.agent, plan.counts.importable], ["claude", 2])
        for (const rule of ["salvaged", "reparented", "branchesLeftOut"]) assert.include(repairs, `${rule} ${claude}`)
        const words = JSON.stringify(yield* contents(claude))
        for (const one of ["Fix it", "First", "Second", "Well", "Go on", "There are 9"]) assert.include(words, one)
        assert.notInclude(words, "Another branch")
        assert.notInclude(words, "not known whether")
        const { meta, usage: spent } = yield* row(claude)
        assert.deepStrictEqual([meta.workspace, meta.title], ["/ws", "Fix it"])
        assert.deepStrictEqual([spent.requests, spent.inputTokens], [3, 30])
        assert.strictEqual((yield* record("agent-abc")).lineage.parentId, id(claude))
      })
    )
  )

  it.effect("is told by a message what an agent beside it found, once", () =>
    withFolder({}, (root) =>
      Effect.gen(function* () {
        const launch = [
          lineOf("assistant", { uuid: "a5", parentUuid: "u2" }, { id: "msg_3", content: [use("call-1")], usage }),
          lineOf(
            "user",
            { uuid: "t5", parentUuid: "a5" },
            { content: answered("call-1", text("Async agent launched successfully.\nagentId: abc")) }
          ),
          lineOf("assistant", { uuid: "a6", parentUuid: "t5" }, { id: "msg_4", content: text("Meanwhile"), usage })
        ]
        transcript(root, launch)
        yield* seen(root, "claude")
        const [entry] = Object.values(TaskRecord.collected(yield* record(claude)))
        assert.deepStrictEqual([entry?.deliveredBy, entry?.summary], ["message", "There are 9"])
      })
    )
  )

  it.effect("waits for an agent that was stopped", () =>
    withFolder({}, (root) =>
      Effect.gen(function* () {
        const call = lineOf(
          "assistant",
          { uuid: "a5", parentUuid: "u2" },
          { id: "msg_3", content: [use("call-1")], usage }
        )
        transcript(root, [call], use("y", "Bash", {}))
        yield* seen(root, "claude")
        assert.deepStrictEqual(TaskRecord.awaitedIds(yield* record(claude)), [id("agent-abc")])
      })
    )
  )
})

const thread = "0198a000-0000-7000-8000-00000000c0de"
const spawned = "0198a000-0000-7000-8000-00000000c0df"
const rollout = (id: string) => `sessions/2026/07/15/rollout-2026-07-15T05-42-04-${id}.jsonl`
const line = (type: string, payload: object) => JSON.stringify({ timestamp: new Date(at).toISOString(), type, payload })
const said = (role: string, words: string) =>
  line("response_item", {
    type: "message",
    role,
    content: [{ type: role === "user" ? "input_text" : "output_text", text: words }]
  })

it.effect(
  "a session of Codex is imported with its calls, its costs and what it was compacted to, and with its agents",
  () =>
    withFolder({}, (root) =>
      Effect.gen(function* () {
        const spawn = { type: "function_call", name: "spawn_agent", arguments: '{"message":"Count"}', call_id: "c2" }
        const usage = { input_tokens: 10, cached_input_tokens: 4, output_tokens: 2 }
        write(join(root, "codex"), {
          [rollout(thread)]: [
            line("session_meta", { id: thread, cwd: "/ws", source: "cli" }),
            said("developer", "Rules"),
            said("user", "Fix it"),
            line("event_msg", { type: "user_message", message: "Fix it" }),
            line("response_item", {
              type: "reasoning",
              summary: [{ type: "summary_text", text: "Think" }],
              encrypted_content: "x"
            }),
            line("response_item", {
              type: "function_call",
              name: "shell",
              arguments: '{"command":["ls"]}',
              call_id: "c1"
            }),
            line("response_item", { type: "function_call_output", call_id: "c1", output: "a.ts" }),
            line("event_msg", { type: "token_count", info: { last_token_usage: usage } }),
            line("compacted", { message: "It was about a.ts" }),
            line("response_item", spawn),
            line("response_item", {
              type: "function_call_output",
              call_id: "c2",
              output: JSON.stringify({ agent_id: spawned })
            }),
            '{"timestamp":"torn'
          ].join("\n"),
          [rollout(spawned)]: [
            line("session_meta", {
              id: spawned,
              cwd: "/ws",
              source: { subagent: { thread_spawn: { parent_thread_id: thread, depth: 1 } } }
            }),
            said("user", "Count"),
            said("assistant", "There are 9")
          ].join("\n")
        })
        const { imported, plan, repairs } = yield* seen(root, "codex")
        assert.strictEqual(plan.folder.agent, "codex")
        assert.deepStrictEqual(imported, [`${thread}:interrupted`, `${spawned}:completed`])
        assert.include(repairs, `salvaged ${thread}`)
        assert.notInclude(repairs.join(), "callUnanswered")
        const words = JSON.stringify(yield* contents(thread))
        for (const one of ["Fix it", "[thought] Think", "a.ts", "It was about"]) assert.include(words, one)
        assert.notInclude(words, "Rules")
        const { meta, usage: spent } = yield* row(thread)
        assert.deepStrictEqual(
          [meta.title, meta.workspace, spent.inputTokens, spent.cacheReadTokens],
          ["Fix it", "/ws", 6, 4]
        )
        const shown = JSON.stringify((yield* TaskHistory.use((history) => history.shown(id(thread)))).messages)
        assert.include(shown, "It was about")
        assert.notInclude(shown, "[thought] Think")
        assert.strictEqual((yield* record(spawned)).lineage.parentId, id(thread))
      })
    )
)
