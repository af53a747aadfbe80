import { type Scenario, ScriptedServer } from "@belay/testkit"
import { afterAll, assert, describe, it } from "vitest"
import { belay, folder, json } from "./support/cli.ts"

const use = (name: string, input: unknown) => ({ content: [{ type: "tool_use" as const, name, input }] })
const says = (text: string): Scenario.Answer => ({ content: [{ type: "text", text }] })
const done = use("attempt_completion", { result: "Done." })

const world = async (...answers: ReadonlyArray<Scenario.Answer>) => {
  const server = await ScriptedServer.startServer({ tasks: [{ match: { prompt: "Work" }, shared: true, answers }] })
  afterAll(() => server.close())
  const env = { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }
  const workspace = folder()
  return { server, run: (...args: ReadonlyArray<string>) => belay(args, env, workspace) }
}

const plan = "1. Read it.\n2. Change it."

describe("a plan that nobody is there to answer", () => {
  it.each([
    ["as a call", use("plan_mode_respond", { response: plan })],
    ["in words", says(plan)]
  ])("%s is the result of the run: printed, planned, exit 0", async (_how, answer) => {
    const { run, server } = await world(answer, done)
    const { code, stderr, stdout } = await run("run", "Work", "--mode", "plan")
    assert.deepStrictEqual([code, stdout.join("\n")], [0, plan], stderr.join("\n"))
    assert.match(stderr.at(-1) ?? "", /^The plan waits\. Carry it out: belay task resume \S+ --mode act$/)
    const [, command = ""] = /belay (.*)$/.exec(stderr.at(-1) ?? "") ?? []
    const acted = await run(...command.split(" "))
    assert.deepStrictEqual([acted.code, acted.stdout], [0, ["Done."]], acted.stderr.join("\n"))
    assert.strictEqual(server.requests.length, 2)
  })

  it("is the same in JSON, as one object and as the last line of a stream; the task stays open", async () => {
    const { run } = await world(use("plan_mode_respond", { response: plan }))
    const planned = { status: "interrupted", outcome: "planned", result: plan }
    const one = await run("run", "Work", "--mode", "plan", "--output", "json")
    assert.strictEqual(one.code, 0)
    assert.deepInclude(json(one.stdout), planned)
    const stream = await run("run", "Work", "--mode", "plan", "--output", "stream-json")
    assert.strictEqual(stream.code, 0)
    assert.deepInclude(JSON.parse(stream.stdout.at(-1) ?? ""), { type: "result", ...planned })
    const record = json((await run("task", "show", "last", "--output", "json")).stdout)
    assert.deepInclude(record, { status: "interrupted", interruption: { reason: "unattended", from: "active" } })
    const shown = await run("task", "show", "last")
    assert.match(shown.stdout.join("\n"), /Needs you: Read it\.[^]*Next: belay task resume \S+ --mode act$/)
    assert.match((await run("task", "list")).stdout.join("\n"), /Needs you +Work: Read it\./)
  })

  it("is carried out after task mode ID act, too", async () => {
    const { run } = await world(says(plan), done)
    assert.strictEqual((await run("run", "Work", "--mode", "plan")).code, 0)
    const switched = await run("task", "mode", "last", "act")
    assert.strictEqual(switched.code, 0)
    const resumed = await run("task", "resume", "last", "--output", "json")
    assert.deepStrictEqual([resumed.code, json(resumed.stdout).result], [0, "Done."])
  })

  it("is no result where a question came in its place", async () => {
    const { run } = await world(use("ask_followup_question", { question: "Which one?" }))
    const { code, stdout } = await run("run", "Work", "--mode", "plan", "--output", "json")
    const { outcome, result } = json(stdout)
    assert.deepStrictEqual([code, outcome, result], [3, null, null])
  })
})
