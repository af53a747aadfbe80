/** Keys that are kept: given by a person or a script, bound to a host, never sent or shown elsewhere. */
import { ScriptedServer } from "@belay/testkit"
import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { alone as belay, converse, type Environment, folder, hiding } from "./support/cli.ts"

const key = "sk-stored-4711-key"

let server: ScriptedServer.ScriptedServer
beforeAll(async () => {
  const answers = [{ content: [{ type: "tool_use" as const, name: "attempt_completion", input: { result: "Done." } }] }]
  server = await ScriptedServer.startServer({
    apiKey: key,
    tasks: [{ match: { prompt: "Work" }, shared: true, answers }]
  })
})
afterAll(() => server.close())

const given = async (text: string, args: ReadonlyArray<string>, env: Environment) => {
  const run = converse(["auth", ...args], env)
  run.write(text)
  run.endInput()
  return run.exit
}

const without = { ANTHROPIC_API_KEY: undefined, ANTHROPIC_BASE_URL: undefined }

describe("belay auth", () => {
  it("keeps a key from stdin, says where, and a run uses it without any in the environment", async () => {
    const env = { ...without, BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }
    const kept = await given(`  ${key}\n`, [], env)
    const file = path.join(env.BELAY_HOME, "keys.json")
    assert.deepStrictEqual(kept.stdout, [`Stored the key for 127.0.0.1:${server.port} in ${file}.`])
    assert.deepStrictEqual([kept.code, kept.stderr], [0, []])
    assert.strictEqual(statSync(file).mode & 0o077, 0)
    const ran = await belay(["run", "Work"], env, folder())
    assert.deepStrictEqual([ran.code, ran.stdout], [0, ["Done."]], ran.stderr.join("\n"))
    const gone = await belay(["auth", "--remove"], env)
    assert.deepStrictEqual(gone.stdout, [`Removed the key for 127.0.0.1:${server.port} from ${file}.`])
    const after = await belay(["run", "Work"], env, folder())
    assert.strictEqual(after.code, 4)
    assert.deepStrictEqual(after.stderr, [
      `belay: no key for 127.0.0.1:${server.port}. Run "belay auth", or set ANTHROPIC_API_KEY.`
    ])
  })

  it("never sends a stored key to another host", async () => {
    const env = { ...without, BELAY_HOME: folder() }
    assert.strictEqual((await given(key, [], env)).code, 0)
    assert.strictEqual((await given(key, ["--host", "localhost:1"], env)).code, 0)
    const before = server.requests.length
    const ran = await belay(["run", "Work"], { ...env, ANTHROPIC_BASE_URL: server.url }, folder())
    assert.strictEqual(ran.code, 4)
    assert.strictEqual(server.requests.length, before)
  })

  it("hides what is typed, takes corrections, and shows it nowhere", async () => {
    const env = { ...without, BELAY_HOME: folder() }
    const run = hiding(["auth"], env)
    // Typed ahead: it waits for the prompt.
    run.write(`x\u007F${key}\r`)
    const ended = await run.exit
    assert.strictEqual(ended.code, 0, ended.stderr.join("\n"))
    assert.deepStrictEqual(ended.stderr, [
      "[raw true]",
      "Key for api.anthropic.com (not shown): [read]",
      "[raw false]",
      ""
    ])
    assert.notInclude([...ended.stdout, ...ended.stderr].join("\n"), key)
    assert.deepStrictEqual(JSON.parse(readFileSync(path.join(env.BELAY_HOME, "keys.json"), "utf8")), {
      "api.anthropic.com": key
    })
  })

  it("stores nothing when it is given up", async () => {
    const env = { ...without, BELAY_HOME: folder() }
    const run = hiding(["auth"], env)
    run.write("sk-half\u0003")
    assert.strictEqual((await run.exit).code, 130)
    assert.deepStrictEqual(readdirSync(env.BELAY_HOME), [])
  })

  it("refuses what no key is, hosts that are none, and keys among the arguments, with one line and without the text", async () => {
    const env = { ...without, BELAY_HOME: folder() }
    for (const text of ["\n", "two words-canary", "\u001b[2J-canary"]) {
      const { code, stderr } = await given(text, [], env)
      assert.strictEqual(code, 2, JSON.stringify(text))
      assert.match(stderr.join("\n"), /^belay: [^\n]*Nothing was stored\.$/)
      assert.notInclude(stderr.join("\n"), "canary")
    }
    for (const host of ["user@host", "http://x"]) {
      assert.strictEqual((await given(key, ["--host", host], env)).code, 2, host)
    }
    assert.strictEqual((await belay(["auth", key], env)).code, 2)
    assert.deepStrictEqual(readdirSync(env.BELAY_HOME), [])
  })

  it("says that others can read the keys, uses none of them, and exits with 4", async () => {
    const env = { ...without, BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }
    await given(key, [], env)
    const file = path.join(env.BELAY_HOME, "keys.json")
    chmodSync(file, 0o644)
    const ran = await belay(["run", "Work"], env, folder())
    assert.strictEqual(ran.code, 4)
    assert.match(
      ran.stderr.join("\n"),
      /^belay: the stored keys cannot be used \(.*keys\.json\)\. It can be read by others/
    )
  })
})
