/** MCP servers that the command line gave to one task, once the window has taken that over. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import * as Cli from "./vscode/Cli.ts"
import * as InProcess from "./vscode/InProcess.ts"
import { completes, task, use } from "./vscode/Scripts.ts"
import * as ToolServer from "./vscode/ToolServer.ts"

vi.mock("vscode", () => import("./vscode/StandIn.ts"))

describe("servers of --mcp-config", () => {
  let vs: InProcess.InProcess
  const jots = use("use_mcp_tool", { server: "own", tool: "jot", arguments: { text: "x" } })
  const results = () => JSON.stringify(vs.model.requests.at(-1)?.body).match(/"text":"Noted"/g) ?? []

  beforeAll(async () => {
    vs = await InProcess.open({
      settings: { "belay.approvals.mcp": { "*": "allow" } },
      tasks: ["Use mine", "Use none", "Use lost"].map((prompt) =>
        task(prompt, jots, { ...jots, hold: prompt }, completes("Done"))
      )
    })
  })
  afterAll(() => vs.close())

  /** A task of the command line whose process was killed after its first call. */
  const stopped = async (prompt: string) => {
    const at = path.join(vs.home, "server")
    mkdirSync(at, { recursive: true })
    ToolServer.write(at)
    rmSync(path.join(at, "broken"))
    const file = path.join(at, "servers.json")
    writeFileSync(
      file,
      JSON.stringify({ mcpServers: { own: { command: process.execPath, args: [ToolServer.fileIn(at)] } } })
    )
    const run = Cli.start(vs, ["run", prompt, "--mcp-config", file, "--allowed-tools", "mcp__own"])
    await vs.model.waitForRequests((all) => all.filter(({ raw }) => raw.includes(prompt)).length === 2)
    await run.kill()
    vs.model.release(prompt)
    const { id } = await vs.row(prompt, "Interrupted")
    return { id, file }
  }

  it("are there for the task in the window, and for no other one", async () => {
    const { id } = await stopped("Use mine")
    await vs.run("belay.resume", id)
    await vs.row("Use mine", "Done")
    assert.lengthOf(results(), 2)
    vs.model.release("Use none")
    await vs.run("belay.newTask", "Use none")
    await vs.row("Use none", "Done")
    assert.include(JSON.stringify(vs.model.requests.at(-1)?.body), "There is no MCP server 'own'")
  })

  it("are told once where their file has changed", async () => {
    const { file, id } = await stopped("Use lost")
    writeFileSync(file, JSON.stringify({ mcpServers: {} }))
    await vs.run("belay.resume", id)
    const { line } = await vs.told("is not there for this task")
    assert.strictEqual(
      line,
      "The MCP server own is not there for this task: the file has changed. Start it in a terminal with --mcp-config to give it again."
    )
  })
})
