import { Approvals } from "@belay/approval-policy"
import { TaskId } from "@belay/task-state"
import { McpTools, ServerPrompt, TaskServers } from "@belay/tool-executor/mcp"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"
import * as path from "node:path"
import { everything, filesystem, nodeServer, world } from "./support.ts"

const freePort = Effect.callback<number>((resume) => {
  const server = net.createServer()
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as net.AddressInfo
    server.close(() => resume(Effect.succeed(port)))
  })
})

/** The server of examples, by streamable HTTP. */
const overHttp = Effect.gen(function* () {
  const port = yield* freePort
  yield* Effect.acquireRelease(
    Effect.callback<childProcess.ChildProcess>((resume) => {
      const child = childProcess.spawn(process.execPath, [everything, "streamableHttp"], {
        env: { ...process.env, PORT: String(port) },
        stdio: ["ignore", "ignore", "pipe"]
      })
      child.stderr.on("data", (bytes: Buffer) => {
        if (bytes.includes(String(port))) resume(Effect.succeed(child))
      })
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  return `http://127.0.0.1:${port}/mcp`
})

const approvals = Approvals.all

describe("the server of examples", () => {
  for (const way of ["a process", "streamable HTTP"] as const) {
    it.effect(`gives its tools and resources as ${way}`, () =>
      Effect.gen(function* () {
        const here = yield* world()
        here.define({ all: way === "a process" ? nodeServer(everything) : { url: yield* overHttp } })
        const use = (tool: string, args: object = {}) =>
          here.call("use_mcp_tool", { server: "all", tool, arguments: args }, { approvals })
        assert.strictEqual(yield* use("echo", { message: "häll\u0000o" }), "Echo: hällo")
        assert.include(yield* use("get-sum", { a: 2, b: 40 }), "42")
        assert.include(yield* use("get-tiny-image"), "(image/png)")
        assert.match(yield* use("get-sum", { a: "x" }), /^error: /)
        assert.strictEqual(
          yield* use("rm"),
          "Not run: The server 'all' has no tool 'rm'. (rule: mcp.unknown). Go on without it, or say what is missing.".replace(
            /^/,
            "error: "
          )
        )
        const listing = yield* here.servers.list(here.workspace)
        const [server] = listing.servers
        if (server?.state._tag !== "Connected") return assert.fail(JSON.stringify(server?.state))
        const [resource] = server.state.resources
        const read = yield* here.call("access_mcp_resource", { server: "all", uri: resource?.uri }, { approvals })
        assert.match(read, /^\[/)
        assert.isAbove(read.length, 40)
        const [told] = yield* McpTools.notices(TaskServers.same(here.servers))(
          here.workspace,
          [],
          TaskId.TaskId.make("task")
        )
        assert.match(told ?? "", /^<mcp_server name="all">\nTools, for use_mcp_tool:\n/)
        assert.include(told, "- echo: ")
        assert.include(told, "Resources, for access_mcp_resource:")
        assert.isAbove(ServerPrompt.cost(listing).tools, 8)
      }).pipe(Effect.scoped)
    )
  }

  it.effect("completes a call that takes several steps, and tells of them in order", () =>
    Effect.gen(function* () {
      const here = yield* world()
      here.define({ all: nodeServer(everything) })
      const args = { server: "all", tool: "trigger-long-running-operation", arguments: { duration: 0.1, steps: 3 } }
      const said: Array<string> = []
      const progress = (chunk: string) => Effect.sync(() => void said.push(chunk))
      assert.include(yield* here.call("use_mcp_tool", args, { approvals, progress }), "completed")
      // One that comes with the result may be left out.
      assert.deepStrictEqual(said, ["1 of 3\n", "2 of 3\n", "3 of 3\n"].slice(0, said.length))
    }).pipe(Effect.scoped)
  )
})

describe("the file server", () => {
  it.effect("works in the folder it was given, and its own refusals are errors for the model", () =>
    Effect.gen(function* () {
      const here = yield* world()
      here.define({ files: nodeServer(filesystem, here.workspace) })
      const use = (tool: string, args: object) =>
        here.call("use_mcp_tool", { server: "files", tool, arguments: args }, { approvals })
      const file = path.join(here.workspace, "a.txt")
      yield* use("write_file", { path: file, content: "from the server" })
      assert.strictEqual(fs.readFileSync(file, "utf8"), "from the server")
      assert.include(yield* use("read_text_file", { path: file }), "from the server")
      assert.match(yield* use("read_text_file", { path: path.join(here.home, "mcp.json") }), /^error: /)
    }).pipe(Effect.scoped)
  )
})
