/**
 * The view of MCP servers: each with its state, its tools below it.
 *
 * Servers are started when the view is looked at. Their files are looked at each second while it is seen, which meets every
 * way of saving; a hidden view costs nothing.
 */
import { McpServers, ServerPrompt, type Servers } from "@belay/tool-executor/mcp"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { unwatchFile, watchFile } from "node:fs"
import * as path from "node:path"
import * as vscode from "vscode"
import { Bridge, scoped, tell, tree } from "../vscode/Bridge.ts"
import * as Mcp from "./Mcp.ts"
import * as McpItem from "./McpItem.ts"
import * as Preferences from "../settings/Preferences.ts"

const lookEvery = 1000

/** Tools from which on it is said what they cost. */
const many = 60

const none: Servers.Listing = { servers: [], problems: [], notes: [] }

/** What commands about servers look at. */
export class McpView extends Context.Service<
  McpView,
  {
    readonly listing: () => Servers.Listing
    /** Looks again; also starts what can be started. */
    readonly refresh: Effect.Effect<void>
  }
>()("@belay/host-vscode/McpView") {}

/** Empty: there is nothing to say. */
const messageOf = (listing: Servers.Listing): string => {
  const [problem] = listing.problems
  const { tokens, tools } = ServerPrompt.cost(listing)
  if (problem !== undefined) return problem
  return tools > many
    ? `${tools} tools are offered to the model. That costs about ${Math.round(tokens / 1000)}k tokens each request.`
    : ""
}

const toolsOf = ({ state }: Servers.Server): ReadonlyArray<Servers.Tool> =>
  state._tag === "Connected" ? state.tools : []

export const layer = Layer.effect(
  McpView,
  Effect.gen(function* () {
    const servers = yield* McpServers
    const { log, views } = yield* Bridge
    const view = views["belay.mcp"]
    const changed = yield* scoped(() => new vscode.EventEmitter<undefined>())
    const context = yield* Effect.context()
    let current = none
    let look = ""

    const show = (listing: Servers.Listing) =>
      Effect.gen(function* () {
        const approvals = yield* Preferences.mcpApprovals
        current = listing
        const now = JSON.stringify([listing, approvals.mcp])
        if (now === look) return
        look = now
        view.message = messageOf(listing)
        changed.fire(undefined)
      }).pipe(Effect.catchCause((cause) => Effect.sync(() => tell(log, cause))))

    const read = Effect.suspend(() => Effect.flatMap(servers.list(Mcp.workspace()), show))
    const refresh = Effect.suspend(() => Effect.andThen(servers.start(Mcp.workspace()), read))
    const run = (effect: Effect.Effect<void>): void => void Effect.runForkWith(context)(effect)

    const onFile = (): void => run(refresh)
    let watched: ReadonlyArray<string> = []
    const follow = (): void => {
      const wanted = view.visible
        ? [Mcp.userFile(), ...[[".belay", "mcp.json"], [".mcp.json"]].map((at) => path.join(Mcp.workspace(), ...at))]
        : []
      for (const file of watched) unwatchFile(file, onFile)
      for (const file of wanted) watchFile(file, { interval: lookEvery, persistent: false }, onFile)
      watched = wanted
      if (view.visible) run(refresh)
    }
    yield* Effect.addFinalizer(() => Effect.sync(() => watched.forEach((file) => unwatchFile(file, onFile))))
    yield* Effect.forkScoped(Stream.runForEach(servers.changes, () => read))
    yield* scoped(() => view.onDidChangeVisibility(follow))
    yield* scoped(() => vscode.workspace.onDidChangeWorkspaceFolders(follow))
    yield* scoped(() => vscode.workspace.onDidGrantWorkspaceTrust(follow))
    yield* scoped(() =>
      vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("belay.approvals") && run(read))
    )
    follow()

    const serverOf = (name: string) => current.servers.find((server) => server.name === name)
    const items = new Map<string, vscode.TreeItem>()
    const toolItems = (server: Servers.Server) =>
      Effect.map(Preferences.mcpApprovals, (approvals) =>
        toolsOf(server).map((tool) => {
          const item = McpItem.ofTool(server.name, tool, approvals)
          items.set(String(item.id), item)
          return String(item.id)
        })
      )
    yield* tree("belay.mcp", {
      onDidChangeTreeData: changed.event,
      getChildren: async (element) => {
        if (element === undefined) return current.servers.map(({ name }) => name)
        const server = serverOf(element)
        return server === undefined ? [] : Effect.runPromise(toolItems(server))
      },
      getTreeItem: (element) => {
        const server = serverOf(element)
        return server === undefined ? (items.get(element) ?? new vscode.TreeItem(element)) : McpItem.ofServer(server)
      },
      getParent: (element) => {
        const { server, tool } = Mcp.partsOf(element)
        return tool === undefined ? undefined : server
      }
    })
    return McpView.of({ listing: () => current, refresh })
  })
)
