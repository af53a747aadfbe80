/** Entries of servers as other programs write them, and the values that stand for others in them. */
import { ServerFile } from "@belay/tool-executor/mcp"
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { args, approvals, say, tool, withServer } from "./serving.ts"
import { world } from "./support.ts"

const script = fileURLToPath(new URL("fixture.js", import.meta.url))

const parsed = (value: unknown) =>
  ServerFile.parse(JSON.stringify(value), { file: "mcp.json", whose: "user" }).pipe(Effect.orDie)

describe("an entry of another program", () => {
  const rows: ReadonlyArray<readonly [of: string, entry: object, definition: object, note: RegExp | undefined]> = [
    [
      "Claude Code: milliseconds",
      { command: "x", timeout: 600_000 },
      { command: "x", timeoutSeconds: 600 },
      /read as 600 s/
    ],
    ["Cline: seconds", { command: "x", timeout: 60 }, { command: "x", timeoutSeconds: 60 }, /read as 60 s/],
    ["own seconds", { command: "x", timeout: 9, timeoutSeconds: 5 }, { command: "x", timeoutSeconds: 5 }, undefined],
    [
      "Cline: HTTP",
      { type: "streamableHttp", url: "https://x.test/" },
      { type: "http", url: "https://x.test/" },
      undefined
    ],
    ["SSE", { type: "sse", url: "https://x.test/" }, { type: "sse", url: "https://x.test/" }, /deprecated/],
    ["Cline: allowed", { command: "x", autoApprove: ["read"] }, { command: "x" }, /not applied.*"a\/read": "allow"/],
    ["Roo Code: allowed", { command: "x", alwaysAllow: ["read"] }, { command: "x" }, /not applied.*"a\/read": "allow"/],
    ["Cline: nothing allowed", { command: "x", autoApprove: [] }, { command: "x" }, undefined],
    ["a field of nobody", { command: "x", watchPaths: ["a"] }, { command: "x" }, /left out: watchPaths/],
    ["an address with a variable", { url: "https://${HOST}/mcp" }, { url: "https://${HOST}/mcp" }, undefined]
  ]
  for (const [of, entry, definition, note] of rows) {
    it.effect(`is read: ${of}`, () =>
      Effect.gen(function* () {
        const found = yield* parsed({ mcpServers: { a: entry } })
        assert.deepStrictEqual(found.servers.get("a"), definition as ServerFile.Definition)
        assert.deepStrictEqual(found.problems, [])
        if (note === undefined) assert.deepStrictEqual(found.notes, [])
        else assert.match(found.notes.join(), note)
      })
    )
  }

  it.effect("is read from VS Code's file, and under a name that tools can be called by", () =>
    Effect.gen(function* () {
      const found = yield* parsed({ servers: { "my server": { type: "stdio", command: "x" } }, inputs: [] })
      assert.deepStrictEqual([...found.servers.keys()], ["my_server"])
      assert.match(found.notes.join(), /"my server" is called my_server here/)
    })
  )

  it.effect("switches tools off, and that counts", () =>
    Effect.gen(function* () {
      const here = yield* withServer()
      here.define({ own: { ...here.definition, disabledTools: ["say"] } })
      assert.strictEqual(yield* here.decide("use_mcp_tool", args("say"), { approvals }), "deny mcp.unknown")
    }).pipe(Effect.scoped)
  )
})

describe("a value that stands for another", () => {
  it.effect("is put in everywhere, by its default too, and what is called a secret is told", () =>
    Effect.gen(function* () {
      const here = yield* world({ environment: { ...process.env, PLAN_NAME: "plan", API_TOKEN: "sk-canary-value" } })
      fs.writeFileSync(path.join(here.home, "plan.json"), JSON.stringify({ tools: [tool("say")] }))
      const plan = "${workspaceFolder}/../home/${PLAN_NAME}.json"
      here.define({
        own: {
          command: `\${NO_SUCH_NODE:-${process.execPath}}`,
          args: [script, plan, "${API_TOKEN}"],
          cwd: "${workspaceFolder}"
        }
      })
      assert.include(yield* say(here), '{"text":"x"}')
      assert.deepStrictEqual(here.secrets, ["sk-canary-value"])
    }).pipe(Effect.scoped)
  )

  it.effect("that is not there costs its server alone, and says which", () =>
    Effect.gen(function* () {
      const here = yield* world()
      for (const [command, problem] of [
        ["${NO_SUCH_VARIABLE}", "needs NO_SUCH_VARIABLE, which the environment does not have"],
        ["${env:NO_SUCH_VARIABLE}", "needs NO_SUCH_VARIABLE"],
        ["${input:api-key}", "needs the input api-key, which nobody is asked for"]
      ] as const) {
        here.define({ own: { command } })
        assert.include(yield* say(here), problem)
      }
      here.define({ own: { url: "${NO_SCHEME:-file}:///etc" } })
      assert.include(yield* say(here), "Expected a URL of http or https")
    }).pipe(Effect.scoped)
  )

  it.effect("is none of the user's for a project, but its default", () =>
    Effect.gen(function* () {
      const text = (command: string) =>
        JSON.stringify({ mcpServers: { own: { command, args: [script, "plan.json"] } } })
      let now = text("${HOME}")
      const here = yield* world({ project: () => Effect.sync(() => ({ _tag: "Trusted" as const, text: now })) })
      fs.writeFileSync(path.join(here.workspace, "plan.json"), JSON.stringify({ tools: [tool("say")] }))
      assert.include(yield* say(here), "may not have HOME of the environment")
      now = text(`\${HOME:-${process.execPath}}`)
      assert.include(yield* say(here), '{"text":"x"}')
    }).pipe(Effect.scoped)
  )
})

describe("a server that speaks SSE", () => {
  it.effect("is reached as it was before", () =>
    Effect.gen(function* () {
      const here = yield* world()
      const open = new Map<string, SSEServerTransport>()
      const server = http.createServer(async (request, response) => {
        const url = new URL(request.url ?? "/", "http://127.0.0.1")
        if (request.method === "POST")
          return open.get(url.searchParams.get("sessionId") ?? "")?.handlePostMessage(request, response)
        if (request.headers["x-key"] !== "canary") return response.writeHead(401).end()
        const transport = new SSEServerTransport("/messages", response)
        open.set(transport.sessionId, transport)
        const offered = new McpServer({ name: "old", version: "1" })
        offered.registerTool("say", { description: "Says it" }, () => ({
          content: [{ type: "text", text: "as before" }]
        }))
        return offered.connect(transport)
      })
      yield* Effect.acquireRelease(
        Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
        () =>
          Effect.sync(() => {
            server.close()
            server.closeAllConnections()
          })
      )
      const { port } = server.address() as AddressInfo
      here.define({ own: { type: "sse", url: `http://127.0.0.1:${port}/sse`, headers: { "x-key": "canary" } } })
      assert.include(yield* say(here), "as before")
    }).pipe(Effect.scoped)
  )
})
