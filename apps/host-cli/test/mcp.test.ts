/** MCP servers: added, tried and trusted by commands, used by a task, and never asked twice for what may have happened. */
import { ScriptedServer } from "@belay/testkit"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { completes, typing, use } from "./support/asking.ts"
import { attended, belay, folder, json } from "./support/cli.ts"

/** A server without a library, which notes each call in a file beside it. */
const script = `
import { appendFileSync, existsSync } from "node:fs"
import { createInterface } from "node:readline"
const beside = (name) => new URL(name, import.meta.url)
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n")
const methods = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "t", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "note", description: existsSync(beside("changed")) ? "Other" : "Notes a text", inputSchema: { type: "object" } }] }),
  "tools/call": ({ arguments: given }) => {
    const { text } = given
    appendFileSync(beside("received"), JSON.stringify(given))
    appendFileSync(beside("calls"), text + "\\n")
    return { content: [{ type: "text", text: "Noted " + text + " " + process.env.KEY }] }
  }
}
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id !== undefined) send({ id, result: methods[method](params) })
}).on("close", () => process.exit(0))
`

const note = (text: string) => use("use_mcp_tool", { server: "notes", tool: "note", arguments: { text } })

/** Where a person could overlook it: behind much else, with a name of its own, and with what a terminal would act on. */
const secret = "sk-behind-it-all"
const shown = {
  server: "notes",
  tool: "note",
  arguments: { text: `${"long ".repeat(2000)}end\u001B[2J`, also: { deep: ["kept", secret] } }
}

let server: ScriptedServer.ScriptedServer
beforeAll(async () => {
  server = await ScriptedServer.startServer({
    tasks: [
      { match: { prompt: "Use it" }, answers: [note("one"), completes("Done.")] },
      { match: { prompt: "Show it" }, shared: true, answers: [use("use_mcp_tool", shown), completes("Done.")] },
      { match: { prompt: "Lose it" }, answers: [note("two"), completes("Done.")] }
    ]
  })
})
afterAll(() => server.close())

const requestsOf = (prompt: string): ReadonlyArray<any> =>
  server.requests.map(({ body }) => body).filter(({ messages }) => JSON.stringify(messages).includes(prompt))

const notes = () => {
  const made = folder()
  writeFileSync(path.join(made, "notes.mjs"), script)
  return { made, command: [process.execPath, path.join(made, "notes.mjs")] as const }
}

const allowed = ["--approvals", '{"mcp":{"notes/note":"allow"}}', "--output", "json"]

describe("MCP servers", () => {
  it("are added, listed, tried and used by a task, whose crash repeats no call, and removed", async () => {
    const { command, made } = notes()
    const env = { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url, NOTES_KEY: "k3y-of-notes" }
    const added = await belay(["mcp", "add", "notes", "--env", "KEY=${env:NOTES_KEY}", "--", ...command], env)
    assert.strictEqual(added.code, 0, added.stderr.join("\n"))
    const twice = await belay(["mcp", "add", "notes", "--", ...command], env)
    assert.deepStrictEqual(
      [twice.code, twice.stderr[0]],
      [2, 'belay: there is a server "notes" already. Remove it first: belay mcp remove notes']
    )
    const listed = json((await belay(["mcp", "list", "--output", "json"], env, made)).stdout)
    assert.deepStrictEqual(
      listed.servers.map(({ from, name, state }: any) => [name, from, state]),
      [["notes", "user", "not started"]]
    )
    const tried = await belay(["mcp", "test", "notes"], env, made)
    assert.deepStrictEqual(tried.stdout, ["notes works: 1 tool, 0 resources.", "  note: Notes a text"])

    const ran = await belay(["run", "Use it", ...allowed], env, made)
    assert.strictEqual(ran.code, 0, ran.stderr.join("\n"))
    assert.strictEqual(readFileSync(path.join(made, "calls"), "utf8"), "one\n")
    const [first, second] = requestsOf("Use it")
    assert.include(JSON.stringify(first.messages), String.raw`<mcp_server name=\"notes\">`)
    assert.include(JSON.stringify(second.messages), "Noted one <redacted>")
    assert.deepStrictEqual(second.tools, first.tools)

    // Killed when the server has done it and nothing of it is stored.
    await belay(["run", "Lose it", ...allowed], { ...env, BELAY_FAILPOINT: "tool.run.after" }, made)
    const resumed = await belay(["task", "resume", "last", "--output", "json"], env, made)
    assert.strictEqual(resumed.code, 0, resumed.stderr.join("\n"))
    assert.strictEqual(readFileSync(path.join(made, "calls"), "utf8"), "one\ntwo\n")
    assert.include(JSON.stringify(requestsOf("Lose it").at(-1)), "it is not known whether this ran")

    writeFileSync(path.join(made, "changed"), "")
    const changed = await belay(["mcp", "test", "notes"], env, made)
    assert.strictEqual(changed.code, 1)
    assert.include(changed.stderr.join(), "have changed or are new since they were approved (note)")
    assert.strictEqual((await belay(["mcp", "test", "notes", "--approve"], env, made)).code, 0)
    assert.strictEqual((await belay(["mcp", "remove", "notes"], env)).code, 0)
    assert.strictEqual((await belay(["mcp", "test", "notes"], env, made)).code, 1)
  })

  it("are asked about with the very arguments that the server then gets, whole and harmless", async () => {
    const { command, made } = notes()
    const env = { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }
    assert.strictEqual((await belay(["mcp", "add", "notes", "--", ...command], env)).code, 0)
    const seeing = { ...env, PAGER: "cat" }
    const received = path.join(made, "received")
    const ask = async (answer: string) => {
      const run = attended(["run", "Show it"], seeing, made)
      // Its middle is left out on the screen, and all of it is a letter away.
      await run.waitForLine((line) => line.includes("v  Show all of it"), "stderr")
      const whole = run.waitForLine((line) => line === "}", "stderr")
      const again = setInterval(() => run.write("v\n"), 50)
      await whole
      clearInterval(again)
      const { stderr } = await typing(run, answer)
      const from = stderr.indexOf("Use notes › note")
      return stderr.slice(from + 1, stderr.indexOf("}", from) + 1).join("\n")
    }
    const prompt = await ask("4")
    assert.notInclude(prompt, "\u001B")
    assert.isFalse(existsSync(received))
    assert.deepStrictEqual(JSON.parse(await ask("1")), JSON.parse(readFileSync(received, "utf8")))
    assert.deepStrictEqual(JSON.parse(prompt), shown.arguments)
  })

  it("of a project run only after a person has looked at them, and again after each change", async () => {
    const { command, made } = notes()
    const env = { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }
    mkdirSync(path.join(made, ".belay"))
    const define = (extra: object = {}) =>
      writeFileSync(
        path.join(made, ".belay", "mcp.json"),
        JSON.stringify({ mcpServers: { notes: { command: command[0], args: [command[1]], ...extra } } })
      )
    define()
    const unattended = await belay(["mcp", "test", "notes"], env, made)
    assert.strictEqual(unattended.code, 1)
    assert.include(unattended.stderr.join("\n"), "Its MCP servers are ignored.")
    assert.include(unattended.stderr.join("\n"), "the folder is not trusted")
    const asked = attended(["mcp", "test", "notes"], env, made)
    await asked.waitForLine((line) => line.includes("1 Trust this content"), "stderr")
    const trusted = await typing(asked, "1")
    assert.deepStrictEqual([trusted.code, trusted.stdout[0]], [0, "notes works: 1 tool, 0 resources."])
    define({ env: { KEY: "x" } })
    assert.strictEqual((await belay(["mcp", "test", "notes"], env, made)).code, 1)
    assert.isFalse(existsSync(path.join(made, "calls")))
  })
})
