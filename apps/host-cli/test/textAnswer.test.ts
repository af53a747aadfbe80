import { ScriptedServer } from "@belay/testkit"
import { afterAll, assert, describe, it } from "vitest"
import { belay, folder, json } from "./support/cli.ts"

describe("an answer in words", () => {
  it("is what a run prints and gives as its result, of one request", async () => {
    const text = "It counts the words of a file.\n\nThe tests are in `test/`."
    const prompt = "What does it do?"
    const server = await ScriptedServer.startServer({
      tasks: [{ match: { prompt }, shared: true, answers: [{ content: [{ type: "text", text }] }] }]
    })
    afterAll(() => server.close())
    const env = { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }
    const workspace = folder()
    const plain = await belay(["run", prompt], env, workspace)
    assert.deepStrictEqual([plain.code, plain.stdout.join("\n"), server.requests.length], [0, text, 1])
    const { code, stdout } = await belay(["run", prompt, "--output", "json"], env, workspace)
    const { outcome, result } = json(stdout)
    assert.deepStrictEqual([code, outcome, result, server.requests.length], [0, "succeeded", text, 2])
  })
})
