/** MCP servers that a client passes with a session. */
import type { McpServer } from "@agentclientprotocol/sdk"
import { readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { codeOf, says, selected, world } from "../support/Acp.ts"
import { completes, use } from "../support/asking.ts"
import { folder } from "../support/cli.ts"

/** A server without a library. */
const script = `
import { createInterface } from "node:readline"
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n")
const methods = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "t", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "look", description: "Looks", inputSchema: { type: "object" } }] }),
  "tools/call": () => ({ content: [{ type: "text", text: "Looked at it with " + process.env.WORD + process.env.KEY }] })
}
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id !== undefined) send({ id, result: methods[method](params) })
}).on("close", () => process.exit(0))
`

const secret = "sk-of-the-client-alone"

describe("the MCP servers of a client", () => {
  it("are there for its session alone, ask as any other, and nothing of them is stored", async () => {
    const look = use("use_mcp_tool", { server: "my-tools", tool: "look", arguments: {} })
    const { cwd, home, open, server } = await world([
      { match: { prompt: "Work" }, shared: true, answers: [look, completes("Done."), look, completes("Not there.")] },
      { match: { prompt: "Other" }, answers: [says("No servers.")] }
    ])
    const file = path.join(folder(), "server.mjs")
    writeFileSync(file, script)
    const env = [
      { name: "WORD", value: "care" },
      { name: "KEY", value: secret }
    ]
    const passed: McpServer = { name: "my tools", command: process.execPath, args: [file], env }
    const peer = await open({ permits: () => selected("allow") })
    const { sessionId } = await peer.agent.request("session/new", { cwd, mcpServers: [passed] })
    await peer.prompt(sessionId, "Work")
    assert.strictEqual(peer.asked[0]?.toolCall.name, "use_mcp_tool")
    assert.include(JSON.stringify(peer.of("tool_call_update")), "Looked at it with care")
    await peer.prompt(await peer.create(cwd), "Other")
    const systems = server.requests.map(({ body }) => JSON.stringify([body.system, body.messages[0]]))
    assert.include(systems[0], "my-tools")
    assert.notInclude(systems.at(-1), "my-tools")
    await peer.leave()
    for (const name of ["belay.db", "belay.db-wal"]) {
      assert.notInclude(readFileSync(path.join(home, name), { encoding: "latin1", flag: "a+" }), secret)
    }
    // A client that does not pass them has none.
    const again = await open({ permits: () => selected("allow") })
    await again.load(sessionId, cwd)
    await again.prompt(sessionId, "And again")
    assert.include(JSON.stringify(again.of("tool_call_update")), "There is no MCP server 'my-tools'")
  })

  it("are refused where they are of a kind that is not offered", async () => {
    const { cwd, open } = await world([])
    const peer = await open()
    const passed = { type: "sse" as const, name: "old", url: "http://127.0.0.1:9/", headers: [] }
    assert.strictEqual(await codeOf(peer.agent.request("session/new", { cwd, mcpServers: [passed] })), -32602)
  })
})
