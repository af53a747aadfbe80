/** What a run loads: what it does not use would cost each start. */
import { type Scenario, ScriptedServer } from "@belay/testkit"
import { execFile, spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { promisify } from "node:util"
import { afterAll, assert, describe, it } from "vitest"
import * as Built from "./support/Built.ts"
import { folder } from "./support/cli.ts"

describe("a run", () => {
  it("reads 1.3 MB of code at most, without the built-in fetch, streams of the web and the tables of Unicode", async () => {
    const read: Scenario.Answer = { content: [{ type: "tool_use", name: "read_file", input: { path: "a.txt" } }] }
    const done: Scenario.Answer = {
      content: [{ type: "tool_use", name: "attempt_completion", input: { result: "done" } }]
    }
    const server = await ScriptedServer.startServer({
      tasks: [{ match: { prompt: "" }, shared: true, answers: [read, done] }]
    })
    afterAll(() => server.close())
    const [home, cwd] = [folder(), folder()]
    const file = path.join(home, "started.json")
    const hook = path.join(import.meta.dirname, "fixtures", "started.cjs")
    const args = ["--require", hook, Built.entry("belay"), "run", "read a.txt", "--output", "json"]
    const env = { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "test-key" }
    await promisify(execFile)(process.execPath, args, {
      cwd,
      env: { ...env, HOME: home, BELAY_HOME: home, BELAY_TEST_STARTED: file }
    })
    const { bytes, ...loaded } = JSON.parse(readFileSync(file, "utf8"))
    assert.deepStrictEqual(loaded, { segmenters: 0, undici: false, webStreams: false })
    assert.isAtMost(bytes, 1_300_000)
  })

  it("says nothing of what Node calls experimental, also where it begins with what was compiled before", async () => {
    const home = folder()
    const env = { ...process.env, HOME: home, BELAY_HOME: home, ANTHROPIC_BASE_URL: "http://127.0.0.1:9" }
    const doctor = () =>
      spawnSync(process.execPath, [Built.entry("belay"), "doctor"], { cwd: home, encoding: "utf8", env })
    const said = [doctor(), doctor()]
    assert.isTrue(existsSync(path.join(home, "cache", "look", "main.js")))
    for (const { stderr, stdout } of said) {
      assert.include(stdout, "ripgrep")
      assert.strictEqual(stderr, "")
    }
  })
})
