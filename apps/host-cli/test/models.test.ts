/** What is known of models, and what a test of one finds: the real program, a scripted service. */
import { ScriptedServer } from "@belay/testkit"
import { readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { alone as belay, folder } from "./support/cli.ts"

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] })
const looks = (...places: ReadonlyArray<string>) => ({
  content: places.map((place) => ({ type: "tool_use" as const, name: "look", input: { place } }))
})
const list = { type: "tool_use" as const, name: "list_files", input: { path: "." } }

let server: ScriptedServer.ScriptedServer

beforeAll(async () => {
  server = await ScriptedServer.startServer({
    dialect: "ollama",
    tasks: [
      {
        match: { prompt: "Work" },
        shared: true,
        answers: [
          { content: [list, list] },
          { content: [{ type: "tool_use", name: "attempt_completion", input: { result: "Done." } }] }
        ]
      },
      {
        match: {},
        shared: true,
        answers: [
          { ...text("ready"), on: "Say the word ready" },
          { ...looks("a"), on: "Call look with the place a." },
          { ...looks("a"), on: "Call look twice" },
          { ...text("None."), on: "There is no a." },
          { error: { status: 400, message: "no images" }, on: "Which colour" }
        ]
      }
    ]
  })
})

afterAll(() => server.close())

const home = (settings: unknown = {}) => {
  const made = folder()
  writeFileSync(path.join(made, "settings.json"), JSON.stringify(settings))
  return { BELAY_HOME: made, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_AUTH_TOKEN: "local" }
}

describe("belay models", () => {
  it("lists the table and what the settings say, as text and as JSON", async () => {
    const env = home({ models: { "qwen*": { inputLimit: 32_000 }, "claude-opus-5-5": { outputReserve: 9000 } } })
    const said = await belay(["models", "--plain"], env)
    assert.strictEqual(said.code, 0)
    assert.include(said.stdout[0] ?? "", "MODEL\tSHORT\tREADS")
    assert.include(said.stdout, "qwen*\t\t32,000\t?\t?\t?\t?\t?\tnone\tsettings")
    assert.include(said.stdout, "claude-sonnet-5-5\tsonnet\t1,000,000\t128,000\t2\t10\t0.1\t2.5\tadaptive\ttable")
    const { models } = JSON.parse((await belay(["models", "--output", "json"], env)).stdout.join(""))
    const opus = models.find(({ id }: { readonly id: string }) => id === "claude-opus-5-5")
    assert.deepInclude(opus, { alias: "opus", outputReserve: 9000, from: "settings", maxOutput: 128_000 })
    assert.match(opus.source, /^https:/)
  })
})

describe("belay models test", () => {
  it("says what works and what does not, and runs hold to it from then on", async () => {
    const env = home()
    const cwd = folder()
    const tested = await belay(["models", "test", "qwen3"], env)
    assert.strictEqual(tested.code, 0, tested.stderr.join("\n"))
    assert.deepStrictEqual(tested.stdout.slice(0, 4), [
      "works     an answer, streamed",
      "works     a call of a tool",
      "does not  two calls in one answer: it made 1 call in one answer",
      "works     going on after a call that failed"
    ])
    assert.match(tested.stdout[4] ?? "", /^does not {2}an image: the service refused the request \(400, .*no images/)
    assert.match(tested.stdout[5] ?? "", /^does not {2}counting tokens/)
    const kept = JSON.parse(readFileSync(path.join(env.BELAY_HOME, "models.json"), "utf8"))
    assert.deepInclude(kept.tested[0], { model: "qwen3", service: `127.0.0.1:${server.port}` })
    const ran = await belay(["run", "Work", "--model", "qwen3", "--output", "json"], env, cwd)
    assert.strictEqual(ran.code, 0, ran.stderr.join("\n"))
    // Of two equal calls in one answer one is carried out.
    const last = server.requests.findLast(({ body }) => body.model === "qwen3")
    const results = last?.body.messages
      .at(-1)
      .content.filter(({ type }: { readonly type: string }) => type === "tool_result")
    assert.lengthOf(results, 2)
    assert.notDeepEqual(results[0].content, results[1].content)
  })

  it("ends with the line of the service where it cannot be asked, and keeps nothing", async () => {
    const env = { ...home(), ANTHROPIC_BASE_URL: "http://127.0.0.1:1" }
    const tested = await belay(["models", "test", "qwen3", "--output", "json"], env)
    assert.strictEqual(tested.code, 4)
    assert.include(tested.stderr.join("\n"), "no answer from 127.0.0.1:1")
    assert.throws(() => readFileSync(path.join(env.BELAY_HOME, "models.json")))
  })
})

describe("a model that nobody knows", () => {
  it("is said to be so once", async () => {
    const env = home()
    const cwd = folder()
    const said = async (...args: ReadonlyArray<string>) =>
      (await belay(["run", "Work", ...args], env, cwd)).stderr.filter((line) => line.includes("table of models"))
    const [line, ...more] = await said("--model", "mine")
    assert.match(
      line ?? "",
      /^mine is not in the table of models: it is taken to read 200,000 tokens .*models test mine$/
    )
    assert.deepStrictEqual(more, [])
    assert.deepStrictEqual(await said("--model", "mine"), [])
    assert.lengthOf(await said("--model", "another"), 1)
    assert.deepStrictEqual(await said("--model", "haiku"), [])
  })
})
