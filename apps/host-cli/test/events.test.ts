/** The published schemas of events and results: they are current, they hold, and they tell what is wrong. */
import { ScriptedServer } from "@belay/testkit"
import { afterAll, assert, describe, it } from "vitest"
import * as Contract from "./support/Contract.ts"
import { belay, folder } from "./support/cli.ts"

const call = (name: string, input: object) => ({ content: [{ type: "tool_use" as const, name, input }] })

describe("the published schemas", () => {
  it.each(["event", "result", "claude", "rescue"] as const)(
    "of docs/events are what belay debug schema %s prints",
    async (name) => {
      const { code, stdout } = await belay(["debug", "schema", name], { BELAY_HOME: folder() })
      assert.strictEqual(code, 0)
      assert.strictEqual(`${stdout.join("\n")}\n`, Contract.published(name))
    }
  )

  it("hold for every line of a run with a subtask, a command, an edit, a checklist and a question, and of its replay", async () => {
    const server = await ScriptedServer.startServer({
      apiKey: "test-key",
      tasks: [
        {
          match: { prompt: "do all" },
          answers: [
            call("write_to_file", { path: "a.txt", content: "a", task_progress: "- [x] a\n- [ ] b" }),
            call("execute_command", { command: "echo hello" }),
            call("new_task", { message: "a part" }),
            call("ask_followup_question", { question: "And now?", options: ["this", "that"] })
          ]
        },
        { match: { prompt: "a part" }, answers: [call("attempt_completion", { result: "part" })] }
      ]
    })
    afterAll(() => server.close())
    const env = { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }
    const at = folder()
    const flags = ["--approvals", "all", "--output", "stream-json"]
    const ran = await belay(["run", "do all", ...flags], env, at)
    const replayed = await belay(["task", "watch", "last", "--output", "stream-json"], env, at)
    const types = new Set(ran.stdout.map((line) => JSON.parse(line).type))
    for (const type of [
      ..."task.created task.status message tool.requested tool.started tool.finished ask usage".split(" "),
      ..."focus-chain.updated delegation.started delegation.collected task.completed checkpoint result".split(" ")
    ]) {
      assert.isTrue(types.has(type), type)
    }
    assert.isAbove(replayed.stdout.length, 20)
  })

  it("hold for every line that programs of Claude Code read: who works, what was said and gave, the end with what it took", async () => {
    const server = await ScriptedServer.startServer({
      apiKey: "test-key",
      tasks: [
        {
          match: { prompt: "do it all" },
          answers: [
            call("write_to_file", { path: "a.txt", content: "a" }),
            call("execute_command", { command: "rm -rf /tmp/nothing" }),
            call("new_task", { message: "a part" }),
            { ...call("attempt_completion", { result: "All done." }), usage: { cache_read_input_tokens: 7 } }
          ]
        },
        {
          match: { prompt: "a part" },
          answers: [call("list_files", { path: "." }), call("attempt_completion", { result: "part" })]
        }
      ]
    })
    afterAll(() => server.close())
    const env = { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }
    const at = folder()
    const format = ["--output-format", "claude-stream-json"]
    const ran = await belay(["run", "do it all", "--permission-mode", "acceptEdits", ...format], env, at)
    assert.strictEqual(ran.code, 0, ran.stderr.join("\n"))
    const lines = ran.stdout.map((line) => JSON.parse(line))
    const [init, ...rest] = lines
    const result = rest.pop()
    assert.deepInclude(init, { type: "system", subtype: "init", cwd: at, permissionMode: "acceptEdits" })
    assert.include(init.tools, "write_to_file")
    assert.deepStrictEqual(new Set(lines.map((line) => line.session_id)), new Set([init.session_id]))
    const uuid = /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/
    assert.isTrue(lines.every((line) => uuid.test(line.uuid)))
    assert.lengthOf(new Set(lines.map((line) => line.uuid)), lines.length)
    const called = (line: { readonly message: { readonly content: ReadonlyArray<{ readonly id?: string }> } }) =>
      line.message.content.flatMap(({ id }) => id ?? [])
    const root = rest.filter((line) => line.parent_tool_use_id === null)
    const calls = root.flatMap((line) => (line.type === "assistant" ? called(line) : []))
    const results = root.flatMap((line) =>
      line.type === "user"
        ? line.message.content.map((block: { readonly tool_use_id: string }) => block.tool_use_id)
        : []
    )
    assert.deepStrictEqual([calls.length, results], [4, calls])
    const below = rest.filter((line) => line.parent_tool_use_id !== null)
    assert.deepStrictEqual(
      below.map((line) => [line.type, line.parent_tool_use_id === calls[2]]),
      [1, 2].flatMap(() => [
        ["assistant", true],
        ["user", true]
      ])
    )
    const { permission_denials: denials, usage, ...end } = result
    assert.deepInclude(end, { subtype: "success", is_error: false, num_turns: 4, result: "All done." })
    assert.deepStrictEqual(denials, [
      { tool_name: "execute_command", tool_use_id: calls[1], tool_input: { command: "rm -rf /tmp/nothing" } }
    ])
    assert.deepInclude(usage, { input_tokens: 600, output_tokens: 120, cache_read_input_tokens: 7 })
    assert.match(String(end.total_cost_usd), /^0\.\d{1,8}$/)
    const again = await belay(["--resume", init.session_id, ...format], env, at)
    assert.deepInclude(JSON.parse(again.stdout[0] ?? ""), { type: "result", result: "All done.", is_error: false })
  })

  it("hold for what programs of Claude Code read of a run that did not succeed", async () => {
    const tasks = [{ match: {}, shared: true, answers: [call("list_files", { path: "." })] }]
    const server = await ScriptedServer.startServer({ apiKey: "test-key", tasks })
    afterAll(() => server.close())
    const env = { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }
    const format = ["--output", "claude-stream-json"]
    const last = async (...args: ReadonlyArray<string>) =>
      JSON.parse((await belay(["run", ...args, ...format], env, folder())).stdout.at(-1) ?? "")
    assert.deepInclude(await last("look", "--max-turns", "1"), {
      type: "result",
      subtype: "error_max_turns",
      is_error: true,
      num_turns: 1
    })
    const refused = await last("look", "--max-requests", "none")
    assert.deepInclude(refused, { subtype: "error_during_execution", is_error: true, session_id: "", num_turns: 0 })
    assert.match(refused.errors[0], /--max-requests/)
  })

  it("find what does not fit, and leave room for what is added", () => {
    const event = { taskId: "t", type: "progress", ts: "2026-01-01T00:00:00.000Z", after: 1, n: 1, text: "x" }
    assert.isUndefined(Contract.wrong("event", { ...event, more: true }))
    assert.include(Contract.wrong("event", { ...event, text: 1 }), "text")
    const { n: _, ...without } = event
    assert.isString(Contract.wrong("event", without))
    assert.isString(Contract.wrong("event", { ...event, type: "unheard" }))
    for (const said of [
      ["run", "x", "--output", "json"],
      ["-c", "-p", "x", "--output-format", "json"],
      ["task", "resume", "last", "--output=json"]
    ]) {
      assert.throws(() => Contract.hold(said, ['{"taskId":1}']), /does not fit/, said.join(" "))
    }
  })
})
