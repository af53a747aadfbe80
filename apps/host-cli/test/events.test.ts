/** The published schemas of events and results: they are current, they hold, and they tell what is wrong. */
import { ScriptedServer } from "@belay/testkit"
import { afterAll, assert, describe, it } from "vitest"
import * as Contract from "./support/Contract.ts"
import { belay, folder } from "./support/cli.ts"

const call = (name: string, input: object) => ({ content: [{ type: "tool_use" as const, name, input }] })

describe("the published schemas", () => {
  it.each(["event", "result"] as const)("of docs/events are what belay debug schema %s prints", async (name) => {
    const { code, stdout } = await belay(["debug", "schema", name], { BELAY_HOME: folder() })
    assert.strictEqual(code, 0)
    assert.strictEqual(`${stdout.join("\n")}\n`, Contract.published(name))
  })

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

  it("find what does not fit, and leave room for what is added", () => {
    const event = { taskId: "t", type: "progress", ts: "2026-01-01T00:00:00.000Z", after: 1, n: 1, text: "x" }
    assert.isUndefined(Contract.wrong("event", { ...event, more: true }))
    assert.include(Contract.wrong("event", { ...event, text: 1 }), "text")
    const { n: _, ...without } = event
    assert.isString(Contract.wrong("event", without))
    assert.isString(Contract.wrong("event", { ...event, type: "unheard" }))
    assert.throws(() => Contract.hold(["run", "x", "--output", "json"], ['{"taskId":1}']), /does not fit/)
  })
})
