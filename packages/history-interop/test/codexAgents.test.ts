/** Sessions of Codex with agents that go on beside them, and whose lines are numbered. */
import { Import, Rescue } from "@belay/history-interop"
import { TaskRecord } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readFileSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { at, contents, fingerprint, optionsOf, record, withFolder, write } from "./support/folders.ts"

const thread = "0198a000-0000-7000-8000-00000000c0de"
const agent = "0198a000-0000-7000-8000-00000000c0df"
const file = (own: string) => `sessions/2026/07/15/rollout-2026-07-15T05-42-04-${own}.jsonl`
const line = (type: string, payload: object, ordinal?: number) =>
  JSON.stringify({
    timestamp: new Date(at).toISOString(),
    ...(ordinal === undefined ? {} : { ordinal }),
    type,
    payload
  })
const said = (role: string, text: string, ordinal?: number) =>
  line(
    "response_item",
    { type: "message", role, content: [{ type: role === "user" ? "input_text" : "output_text", text }] },
    ordinal
  )
const call = (callId: string, name: string, input: object) =>
  line("response_item", { type: "function_call", name, arguments: JSON.stringify(input), call_id: callId })
const output = (callId: string, value: object) =>
  line("response_item", { type: "function_call_output", call_id: callId, output: JSON.stringify(value) })

const found = 'There are "9"\nin all'
const spawned = [
  line("session_meta", { id: thread, cwd: "/ws", source: "cli" }),
  said("user", "Fix it"),
  call("c1", "spawn_agent", { message: "Count" }),
  output("c1", { agent_id: agent, nickname: "Ada" })
]
const child = [
  line("session_meta", {
    id: agent,
    cwd: "/ws",
    source: { subagent: { thread_spawn: { parent_thread_id: thread, depth: 1 } } }
  }),
  said("user", "Count"),
  said("assistant", found)
]

const parents: Readonly<Record<string, readonly [ReadonlyArray<string>, isHeard: boolean]>> = {
  "nobody told of": [[...spawned, said("assistant", "I wait")], false],
  "a call that stopped waiting did not tell of": [
    [...spawned, call("c2", "wait_agent", { ids: [agent] }), output("c2", { status: {}, timed_out: true })],
    false
  ],
  "a call that waited has told of": [
    [
      ...spawned,
      call("c2", "wait_agent", { ids: [agent] }),
      output("c2", { status: { [agent]: { completed: found } }, timed_out: false })
    ],
    true
  ],
  "a message has told of": [
    [
      ...spawned,
      said(
        "user",
        `<subagent_notification>\n${JSON.stringify({ agent_id: agent, status: { completed: found } })}\n</subagent_notification>`
      )
    ],
    true
  ]
}

const settle = (root: string): void => {
  for (const name of readdirSync(root, { recursive: true, encoding: "utf8" }))
    utimesSync(join(root, name), at / 1000, at / 1000)
}

const look = (path: string, deep = false) => Rescue.Look.at([{ agent: "codex", path }], { deep })

const codes = (looked: ReadonlyArray<Rescue.Look.Looked>) =>
  Rescue.Look.report(looked).tasks.flatMap(({ damages, id }) =>
    damages.map(({ class: kind, code, repair }) => `${id === thread ? "P" : "C"} ${kind} ${code} ${repair}`)
  )

describe("what an agent of Codex found, and", () => {
  for (const [name, [rows, isHeard]] of Object.entries(parents)) {
    it.effect(name, () =>
      withFolder({}, (root) =>
        Effect.gen(function* () {
          const place = join(root, "codex")
          write(place, { [file(thread)]: rows.join("\n"), [file(agent)]: child.join("\n") })
          settle(place)
          const before = fingerprint(place)
          const looked = yield* look(place)
          assert.deepStrictEqual(codes(looked), isHeard ? [] : ["P E subtask.undelivered exact"])
          yield* Rescue.Copy.run(join(root, "rescued"), looked, new Set([`codex:${thread}`, `codex:${agent}`]))
          const copy = join(root, "rescued/codex")
          assert.deepStrictEqual(codes(yield* look(copy, true)), [])
          const log = readFileSync(join(copy, file(thread)), "utf8")
          assert.strictEqual(log.includes("[added by Belay]"), !isHeard)
          yield* Import.run(yield* Import.plan(place), optionsOf(root))
          const parent = yield* record(thread)
          const outcomes = Object.values(TaskRecord.collected(parent)).map(({ outcome, summary }) => [outcome, summary])
          assert.deepStrictEqual(outcomes, [["succeeded", found]])
          assert.include(JSON.stringify(yield* contents(agent)), "There are")
          assert.strictEqual(fingerprint(place), before)
        })
      )
    )
  }
})

it.effect("lines of Codex that have a number twice are found, and have one of their own in a copy", () =>
  withFolder({}, (root) =>
    Effect.gen(function* () {
      const place = join(root, "codex")
      const numbers = [0, 4, 5, 5, 6]
      const rows = [
        line("session_meta", { id: thread, cwd: "/ws", source: "cli" }, 0),
        ...numbers.slice(1).map((n, at) => said(at % 2 === 0 ? "user" : "assistant", `Words ${at}`, n))
      ]
      write(place, { [file(thread)]: rows.join("\n") })
      settle(place)
      const looked = yield* look(place)
      assert.deepStrictEqual(codes(looked), ["P B codex.ordinal exact"])
      yield* Rescue.Copy.run(join(root, "rescued"), looked, new Set([`codex:${thread}`]))
      const copied = readFileSync(join(root, "rescued/codex", file(thread)), "utf8")
        .trim()
        .split("\n")
      assert.deepStrictEqual(
        copied.map((one) => JSON.parse(one).ordinal),
        [0, 4, 5, 6, 7]
      )
      // Numbers that are left out are none that are there twice.
      write(join(root, "sound"), { [file(thread)]: rows.filter((_, n) => n !== 3).join("\n") })
      settle(join(root, "sound"))
      assert.deepStrictEqual(codes(yield* look(join(root, "sound"))), [])
    })
  )
)
