/** Real servers, in a data folder and a workspace of their own. */
import { Approvals, ApprovalPolicy } from "@belay/approval-policy"
import { McpServers, McpTools, type Servers, TaskServers } from "@belay/tool-executor/mcp"
import { type Tool, ToolCatalog, ToolExecutor } from "@belay/tool-executor"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as os from "node:os"
import * as path from "node:path"
import { context } from "../fixtures/Tools.ts"

const require = createRequire(import.meta.url)

const binOf = (manifest: string): string => {
  const { bin } = JSON.parse(fs.readFileSync(manifest, "utf8"))
  return path.join(path.dirname(manifest), Object.values<string>(bin)[0] ?? "")
}

export const everything = binOf(require.resolve("@modelcontextprotocol/server-everything/package.json"))
export const filesystem = binOf(require.resolve("@modelcontextprotocol/server-filesystem/package.json"))

/** A definition that runs a script of Node. */
export const nodeServer = (script: string, ...args: ReadonlyArray<string>) => ({
  command: process.execPath,
  args: [script, ...args]
})

export interface World {
  readonly home: string
  readonly workspace: string
  readonly servers: Servers.Servers
  readonly secrets: ReadonlyArray<string>
  /** Writes the user's file. */
  readonly define: (mcpServers: object, tools?: object) => void
  /** A call through the pipeline: what the model reads, after a yes where it asks. */
  readonly call: (name: string, input: object, options?: CallOptions) => Effect.Effect<string>
  readonly decide: (name: string, input: object, options?: CallOptions) => Effect.Effect<string>
}

export interface CallOptions {
  readonly approvals?: Approvals.Approvals
  readonly mode?: "plan" | "act"
  readonly progress?: (chunk: string) => Effect.Effect<void>
}

const textOf = ({ content, isError }: Tool.ToolOutput): string =>
  `${isError ? "error: " : ""}${content.map((block) => (block.type === "text" ? block.text : `(${block.source.media_type})`)).join("\n")}`

export const world = (more: Partial<Servers.Options> = {}) =>
  Effect.gen(function* () {
    const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "belay-mcp-")))
    yield* Effect.addFinalizer(() => Effect.sync(() => fs.rmSync(root, { recursive: true, force: true })))
    const home = path.join(root, "home")
    const workspace = path.join(root, "ws")
    fs.mkdirSync(home)
    fs.mkdirSync(workspace)
    const secrets: Array<string> = []
    const built = yield* Layer.build(
      McpServers.layer({ directory: home, onSecret: (value) => secrets.push(value), ...more })
    )
    const servers = yield* Effect.provide(McpServers, built)
    const layer = ToolExecutor.layer.pipe(
      Layer.provide([ToolCatalog.layer(McpTools.make(TaskServers.same(servers))), ApprovalPolicy.ApprovalPolicy.layer])
    )
    const taskContext = ({ approvals = Approvals.ask, mode = "act", progress }: CallOptions = {}) => ({
      ...context,
      workspace,
      approvals,
      mode,
      ...(progress === undefined ? {} : { progress })
    })
    const prepared = (name: string, input: object, options?: CallOptions) =>
      Effect.flatMap(ToolExecutor, ({ prepare }) => prepare({ callId: "c", name, input }, taskContext(options)))
    const made: World = {
      home,
      workspace,
      servers,
      secrets,
      define: (mcpServers, tools) =>
        fs.writeFileSync(
          path.join(home, "mcp.json"),
          JSON.stringify({ mcpServers, ...(tools === undefined ? {} : { tools }) })
        ),
      decide: (name, input, options) =>
        Effect.map(prepared(name, input, options), ({ decision }) => `${decision?.decision} ${decision?.rule}`).pipe(
          Effect.provide(layer)
        ),
      call: (name, input, options) =>
        Effect.gen(function* () {
          const ready = yield* prepared(name, input, options)
          if (ready._tag === "Refused") return textOf(ready.output)
          return textOf(yield* (yield* ToolExecutor).run(ready, taskContext(options)))
        }).pipe(Effect.provide(layer))
    }
    return made
  })
