/** Runs whose model or service gives no answer to go on from, as the command tells them. */
import { type Scenario, ScriptedServer } from "@belay/testkit"
import { afterAll, assert, describe, it } from "vitest"
import { belay, folder, json, start } from "./support/cli.ts"

const says = (text: string, stopReason: string): Scenario.Answer => ({ content: [{ type: "text", text }], stopReason })
const use = (name: string, input: unknown) => ({ content: [{ type: "tool_use" as const, name, input }] })
const done = use("attempt_completion", { result: "Done." })

const world = async (...answers: ReadonlyArray<Scenario.Answer>) => {
  const server = await ScriptedServer.startServer({ tasks: [{ match: { prompt: "Tidy up" }, answers }] })
  afterAll(() => server.close())
  const env = { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }
  const workspace = folder()
  const run = (...args: ReadonlyArray<string>) => belay([...args, "--model", "model-1"], env, workspace)
  return { server, run, env, workspace }
}

const tells = (stderr: ReadonlyArray<string>, line: RegExp) => {
  const ours = stderr.filter((text) => text.startsWith("belay: "))
  assert.lengthOf(ours, 1, stderr.join("\n"))
  assert.match(ours[0] ?? "", line)
}

describe("a run whose model refuses", () => {
  it("has failed, with the reason in one line and exit 1, and goes on with another model", async () => {
    const { run } = await world(says("I can't help\nwith that.", "refusal"))
    const { code, stderr, stdout } = await run("run", "Tidy up", "--output", "json")
    const { error, outcome, result, status } = json(stdout)
    assert.deepStrictEqual([code, status, outcome, result], [1, "interrupted", "failed", null])
    assert.strictEqual(error.tag, "StoppedShort")
    tells(
      stderr,
      /^belay: model-1 refused to answer \("I can't help with that\."\)\. Say it in other words, or go on with another model\. Then go on with: belay task resume \S+ --model ID$/
    )
  })
})

describe("a run whose conversation does not fit into the model's context", () => {
  const overflow =
    /^belay: the conversation does not fit into the context of model-1, also after condensing\. Go on with a model that takes more, or start a new task\. Then go on with: belay task resume \S+ --model ID$/

  it("has failed, with the reason in one line and exit 1, where the answer has no room", async () => {
    const { run, server } = await world(says("", "model_context_window_exceeded"))
    const { code, stderr, stdout } = await run("run", "Tidy up", "--output", "json")
    const { interruption, outcome } = json(stdout)
    assert.deepStrictEqual([code, interruption, outcome], [1, { reason: "context" }, "failed"])
    tells(stderr, overflow)
    assert.isAtMost(server.requests.length, 4)
  })

  it("has failed the same way where the service finds the prompt too long", async () => {
    const { run } = await world({ error: { status: 400, message: "prompt is too long" } })
    const { code, stderr, stdout } = await run("run", "Tidy up")
    assert.deepStrictEqual([code, stdout], [1, []])
    tells(stderr, overflow)
  })
})

describe("a service that takes a request and sends nothing", () => {
  it("is asked again after the time that the settings give it, and the line says so", async () => {
    const { env, server, workspace } = await world({ ...done, hold: "gate", holdAt: 0 })
    assert.strictEqual((await belay(["config", "set", "model.firstByteSeconds", "1"], env, workspace)).code, 0)
    const running = start(["run", "Tidy up"], env, workspace)
    const line = await running.waitForLine("Trying again", "stderr")
    server.release("gate")
    assert.match(line, /the first byte of the answer did not come within 1 s\. .* Trying again in 1 s \(1 of 9\)\.$/)
    const { code, stdout } = await running.exit
    assert.deepStrictEqual([code, stdout], [0, ["Done."]])
  })
})
