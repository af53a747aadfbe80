import { type Scenario, ScriptedServer } from "@belay/testkit"
import { mkdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { belay, folder, json } from "./support/cli.ts"

const use = (name: string, input: unknown) => ({ content: [{ type: "tool_use" as const, name, input }] })
const done = use("attempt_completion", { result: "Done." })

const world = async (tasks: Scenario.Scenario["tasks"]) => {
  const server = await ScriptedServer.startServer({ tasks: tasks.map((task) => ({ ...task, shared: true })) })
  afterAll(() => server.close())
  const env = { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }
  const workspace = folder()
  writeFileSync(path.join(workspace, "package.json"), '{ "scripts": { "test": "true" } }')
  return { server, workspace, run: (...args: ReadonlyArray<string>) => belay(args, env, workspace) }
}

const edit = use("write_to_file", { path: "a.txt", content: "x\n" })
const test = use("execute_command", { command: "touch b.txt" })

describe("what was denied because nobody was there", () => {
  it("is named at the end of the run, with the entry for each and the flag for all", async () => {
    const { run } = await world([{ match: { prompt: "Tidy up" }, answers: [edit, test, test, done] }])
    const { code, stderr, stdout } = await run("run", "Tidy up")
    assert.deepStrictEqual([code, stdout], [0, ["Done."]])
    assert.deepStrictEqual(stderr.slice(-3), [
      'Denied: Use write_to_file: a.txt (edit). Entry: {"edit":"allow"}',
      'Denied, 2 times: Run touch b.txt (commands.other). Entry: {"commands":{"allow":["touch"]}}',
      `To allow this: --approvals '{"edit":"allow","commands":{"allow":["touch"]}}'`
    ])
    const [, flag = ""] = /--approvals '(.*)'$/.exec(stderr.at(-1) ?? "") ?? []
    const allowed = await run("run", "Tidy up", "--approvals", flag, "--output", "json")
    assert.deepStrictEqual([allowed.code, json(allowed.stdout).denials], [0, []], allowed.stderr.join("\n"))
  })

  it("is in the JSON of the run, each call, those of subtasks too", async () => {
    const { run } = await world([
      { match: { prompt: "Tidy up" }, answers: [edit, use("new_task", { message: "the part" }), done] },
      { match: { prompt: "the part" }, answers: [test, done] }
    ])
    for (const output of ["json", "stream-json"]) {
      const { code, stdout } = await run("run", "Tidy up", "--output", output)
      const object = JSON.parse(stdout.at(-1) ?? "")
      assert.deepStrictEqual([code, object.outcome], [0, "succeeded"])
      const [first, second] = object.denials
      const { reason, ...said } = first
      assert.deepStrictEqual(said, {
        taskId: object.taskId,
        tool: "write_to_file",
        what: "a.txt",
        rule: "edit",
        allow: { edit: "allow" }
      })
      assert.match(reason, /\.$/)
      assert.deepInclude(second, {
        taskId: object.children[0].taskId,
        what: "touch b.txt",
        rule: "commands.other",
        allow: { commands: { allow: ["touch"] } }
      })
      assert.deepStrictEqual(object.children[0].denials, [second])
    }
  })

  it("is told in one line of its own where nobody is there, and the ask in none", async () => {
    const { run } = await world([{ match: { prompt: "Tidy up" }, answers: [edit, done] }])
    const { stderr } = await run("run", "Tidy up")
    assert.deepStrictEqual(
      stderr.filter((line) => /a\.txt/.test(line) && !line.startsWith("Denied: ")).map((line) => line.slice(9)),
      [stderr.find((line) => line.includes(" denied "))?.slice(9)]
    )
  })

  it("says why an entry that is there does not cover it", async () => {
    const { run } = await world([
      { match: { prompt: "Tidy up" }, answers: [use("execute_command", { command: "npm test -- --foo" }), done] }
    ])
    const { stderr } = await run("run", "Tidy up", "--allowed-tools", "Bash(npm test:*)")
    assert.match(
      stderr.join("\n"),
      /An entry for 'npm' does not cover 'npm test -- --foo': .*\. Entry: \{"commands":\{"allow":\["npm test -- --foo"\]\}\}/
    )
  })

  it("has no entry where nothing can allow it beforehand", async () => {
    const { run, workspace } = await world([
      { match: { prompt: "Tidy up" }, answers: [use("write_to_file", { path: ".git/config", content: "x" }), done] }
    ])
    mkdirSync(path.join(workspace, ".git"))
    writeFileSync(path.join(workspace, ".git", "config"), "")
    const { stderr, stdout } = await run("run", "Tidy up", "--approvals", "all", "--output", "json")
    const [denial, ...others] = json(stdout).denials
    assert.deepStrictEqual([denial.what, denial.allow, others], [".git/config", null, []])
    assert.match(stderr.at(-1) ?? "", /^Denied: .*\.git\/config \(.*\)\. Nothing allows it beforehand: /)
  })

  it("is told of a call that the approvals deny, and not of one that the mode does not have", async () => {
    const answers = [edit, use("execute_command", { command: "rm a" }), use("plan_mode_respond", { response: "So." })]
    const { run } = await world([
      { match: { prompt: "Tidy up" }, answers: [edit, done] },
      { match: { prompt: "Plan it" }, answers }
    ])
    const { stdout } = await run("run", "Tidy up", "--approvals", '{"edit":"deny"}', "--output", "json")
    assert.deepInclude(json(stdout).denials[0], { what: "a.txt", rule: "edit", allow: { edit: "allow" } })
    const planned = await run("run", "Plan it", "--mode", "plan", "--output", "json")
    assert.deepStrictEqual(json(planned.stdout).denials, [])
  })

  it("is told of a run that stops, too, whose exit is not 0", async () => {
    const { run } = await world([{ match: { prompt: "Tidy up" }, answers: Array.from({ length: 9 }, () => edit) }])
    const { code, stderr, stdout } = await run("run", "Tidy up", "--output", "json")
    assert.strictEqual(code, 3)
    assert.isAbove(json(stdout).denials.length, 2)
    assert.match(stderr.at(-2) ?? "", /^To allow this: --approvals edits$/)
    assert.match(
      stderr.at(-1) ?? "",
      /^belay: paused "Tidy up": write_to_file is called again and again with the same arguments\. /
    )
  })
})
