import { type Scenario, ScriptedServer } from "@belay/testkit"
import { writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { belay, folder, json } from "./support/cli.ts"

const use = (name: string, input: unknown) => ({ type: "tool_use" as const, name, input })

/** An answer of 10,000 characters with calls; nothing but a summary makes it shorter. */
const talks = (at: number, ...calls: ReadonlyArray<ReturnType<typeof use>>): Scenario.Answer => ({
  content: [
    { type: "text", text: `thought ${at} `.repeat(1100) },
    use("list_tasks", { ids: [`${at}`], ...(at === 0 ? { task_progress: "- [x] look\n- [ ] write" } : {}) }),
    ...calls
  ]
})

/** The conversation is full when the mark is read, while a subtask is at work. */
const scenario: Scenario.Scenario = {
  tasks: [
    {
      match: { prompt: "the whole" },
      answers: [
        { content: [{ type: "text", text: "THE SUMMARY" }], on: "replaced by what you write now" },
        { content: [use("wait_for_tasks", {})], on: "THE MARK" },
        { content: [use("attempt_completion", { result: "all done" })], on: "of the part" },
        talks(0),
        talks(1, use("new_task", { message: "the part", background: true })),
        talks(2),
        talks(3, use("read_file", { path: "mark.txt" }))
      ]
    },
    {
      match: { prompt: "the part" },
      answers: [
        { content: [use("list_files", { path: "." })], hold: "part", holdAt: 0 },
        { content: [use("attempt_completion", { result: "of the part" })] }
      ]
    }
  ]
}

describe("a task that condenses its conversation while a subtask is at work", () => {
  it("is killed at each step of it and goes on: condensed once, with nothing lost", { timeout: 240_000 }, async () => {
    const server = await ScriptedServer.startServer(scenario)
    afterAll(() => server.close())
    const home = folder()
    const workspace = folder()
    writeFileSync(path.join(workspace, "mark.txt"), "THE MARK")
    const models = { "test-model": { inputLimit: 12_000, outputReserve: 2000 } }
    writeFileSync(path.join(home, "settings.json"), JSON.stringify({ models }))
    const env = { BELAY_HOME: home, ANTHROPIC_BASE_URL: server.url, BELAY_MODEL: "test-model" }
    void server
      .waitForRequests((all) => all.some(({ body }) => JSON.stringify(body.messages).includes("THE SUMMARY")))
      .then(() => server.release("part"))

    const flags = ["--approvals", "all", "--output", "json"]
    let args = ["run", "the whole", ...flags]
    for (const step of ["summary.before", "summary.after", "commit.before", "commit.after"]) {
      const { code, stdout } = await belay(args, { ...env, BELAY_FAILPOINT: `condense.${step}` }, workspace)
      assert.deepStrictEqual([step, code, stdout], [step, null, []])
      args = ["task", "resume", "last", ...flags]
    }
    const { code, stderr, stdout } = await belay(args, env, workspace)
    assert.strictEqual(code, 0, stderr.join("\n"))
    assert.deepInclude(json(stdout), { status: "completed", result: "all done" })

    const shown = await belay(["task", "show", "last", "--messages", "--context", "--output", "json"], env, workspace)
    const { context, messages } = json(shown.stdout)
    assert.deepStrictEqual(
      context.edits.map(({ kind }: { kind: string }) => kind),
      ["summary"]
    )
    const log = JSON.stringify(messages)
    for (const at of [0, 1, 2, 3]) assert.include(log, `thought ${at} thought`)
    assert.notInclude(log, "THE SUMMARY")
    // The result of the subtask is delivered once.
    assert.strictEqual(log.split("of the part").length - 1, 1)
    const opening = JSON.stringify(context.messages[0])
    assert.match(opening, /the whole.*THE SUMMARY.*\[x\] look.*\[ \] write.*Open subtasks.*: the part/u)
    assert.notInclude(JSON.stringify(context.messages), "thought 0")
  })
})
