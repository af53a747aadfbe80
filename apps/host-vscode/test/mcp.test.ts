import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Lists from "./vscode/Lists.ts"
import { completes, task, use } from "./vscode/Scripts.ts"
import * as VSCode from "./vscode/VSCode.ts"

/** A server without a library: one tool, and what a file beside it says of its state. */
const script = `
import { existsSync } from "node:fs"
import { createInterface } from "node:readline"
const has = (name) => existsSync(new URL(name, import.meta.url))
if (has("broken")) { process.stderr.write("no licence\\n"); process.exit(3) }
const methods = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "t", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "jot", description: has("changed") ? "Other" : "Notes a text", inputSchema: { type: "object" } }] }),
  "tools/call": () => ({ content: [{ type: "text", text: "Noted" }] })
}
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result: methods[method](params) }) + "\\n")
}).on("close", () => process.exit(0))
`

describe("MCP servers", () => {
  let vs: VSCode.VSCode
  const home = () => vs.env["BELAY_HOME"] ?? ""
  const beside = (name: string) => path.join(home(), "server", name)
  const definition = () => ({ command: process.execPath, args: [beside("notes.mjs")] })
  const row = (text: string) => vs.tree("MCP servers").row(text)
  const shows = (text: string, state: string) => row(text).filter({ hasText: state }).waitFor()
  const run = (command: string, element: string) =>
    vs.host(async (vscode, id, of) => void (await vscode.commands.executeCommand(id, of)), command, element)

  beforeAll(async () => {
    vs = await VSCode.open({
      tasks: [task("Use it", use("use_mcp_tool", { server: "notes", tool: "jot", arguments: {} }), completes("Used"))]
    })
    mkdirSync(path.join(home(), "server"), { recursive: true })
    writeFileSync(beside("notes.mjs"), script)
    writeFileSync(beside("broken"), "")
    writeFileSync(path.join(home(), "mcp.json"), JSON.stringify({ mcpServers: { notes: definition() } }))
    await vs.showTrees()
    await vs.host(async (vscode) => void (await vscode.commands.executeCommand("belay.mcp.focus")))
  })
  afterAll(() => vs.close())

  it("show why one failed, and a restart brings it and its tools", async () => {
    await shows("notes", "Failed: The server exited with 3. It said: no licence.")
    rmSync(beside("broken"))
    await vs.tree("MCP servers").act("notes", "Restart MCP server")
    await shows("notes", "Connected · 1 tool")
    await row("notes").click()
    await shows("jot", "asks")
  })

  it("have tools that are allowed, marked and switched off, in the user's own settings and file", async () => {
    await run("belay.allowMcpTool", "notes/jot")
    await shows("jot", "allowed")
    assert.deepEqual(await vs.host((vscode) => vscode.workspace.getConfiguration("belay.approvals").get("mcp")), {
      "*": "ask",
      "notes/jot": "allow"
    })
    await run("belay.markMcpToolReadOnly", "notes/jot")
    await shows("jot", "allowed · read-only (you marked it)")
    await run("belay.disableMcpTool", "notes/jot")
    await shows("jot", "switched off")
    assert.deepEqual(JSON.parse(readFileSync(path.join(home(), "mcp.json"), "utf8")).tools, {
      "notes/jot": "disabled"
    })
    await run("belay.disableMcpTool", "notes/jot")
    await shows("jot", "allowed")
  })

  it("are used by a task as the settings allow, and ask again when a tool has changed, until it is approved", async () => {
    await vs.host(async (vscode) => void (await vscode.commands.executeCommand("belay.newTask", "Use it")))
    await vs.tree("Tasks").row("Use it").filter({ hasText: "Done: Used" }).waitFor()
    assert.include(JSON.stringify(vs.model.requests.at(-1)?.body), "Noted")
    writeFileSync(beside("changed"), "")
    await vs.tree("MCP servers").act("notes", "Restart MCP server")
    await shows("jot", "asks: it has changed or is new")
    await run("belay.approveMcpTool", "notes/jot")
    await shows("jot", "allowed")
  })

  it("of a project are not started before a person has looked at them", async () => {
    mkdirSync(path.join(vs.workspace, ".belay"))
    const file = path.join(vs.workspace, ".belay", "mcp.json")
    writeFileSync(file, JSON.stringify({ mcpServers: { theirs: definition() } }))
    await shows("theirs", "From this project. Not started: the folder is not trusted.")
    const trusting = vs.host(async (vscode) => void (await vscode.commands.executeCommand("belay.trustMcpServers")))
    await Lists.press(vs, "Trust this content")
    await trusting
    await shows("theirs", "Connected · 1 tool")
    writeFileSync(file, JSON.stringify({ mcpServers: { theirs: { ...definition(), timeoutSeconds: 9 } } }))
    await shows("theirs", "Not started: the folder is not trusted.")
  })
})
