/** What a person does with MCP servers and their tools: each works from the palette, too, and asks for what it needs. */
import * as SettingsFile from "@belay/settings/file"
import * as Trust from "@belay/settings/trust"
import { McpServers, type Servers } from "@belay/tool-executor/mcp"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { Bridge, chosen, command, perform, Refusal } from "../../vscode/Bridge.ts"
import * as Home from "../../activation/Home.ts"
import * as Mcp from "../../mcp/Mcp.ts"
import * as McpItem from "../../mcp/McpItem.ts"
import { McpView } from "../../mcp/McpProvider.ts"
import * as Picker from "../../vscode/Picker.ts"
import { redaction } from "../../vscode/Redaction.ts"
import * as TrustDocument from "../../settings/TrustDocument.ts"
import { UserApprovals } from "../../settings/UserApprovals.ts"

const noServers = () =>
  new Refusal({
    line: 'There are no MCP servers. Add one with "Belay: Add MCP server".',
    actions: [{ title: "Add MCP server", command: "belay.addMcpServer" }]
  })

const refused = (line: string) => new Refusal({ line })

const listing = Effect.gen(function* () {
  const view = yield* McpView
  yield* view.refresh
  return view.listing()
})

/** The server of the row, else one that is picked. */
const serverOf = (given: unknown, title: string) =>
  Effect.gen(function* () {
    if (typeof given === "string") return Mcp.partsOf(given).server
    const { servers } = yield* listing
    if (servers.length === 0) return yield* noServers()
    const picks = servers.map((server) => ({ label: server.name, description: McpItem.stateText(server) }))
    return (yield* chosen((token) => vscode.window.showQuickPick(picks, { title }, token))).label
  })

const toolsOf = ({ name, state }: Servers.Server) =>
  state._tag === "Connected" ? state.tools.map((tool) => ({ name: `${name}/${tool.name}`, tool })) : []

/** The tool of the row as `server/tool`, else one that is picked. */
const toolOf = (given: unknown, title: string, fits: (tool: Servers.Tool) => boolean = () => true) =>
  Effect.gen(function* () {
    if (typeof given === "string" && Mcp.partsOf(given).tool !== undefined) return given
    const { servers } = yield* listing
    const tools = servers.flatMap(toolsOf).filter(({ tool }) => fits(tool))
    if (servers.length === 0) return yield* noServers()
    if (tools.length === 0)
      return yield* refused("No connected MCP server has such a tool. Look at the view MCP servers.")
    const picks = tools.map(({ name }) => ({ label: name }))
    return (yield* chosen((token) => vscode.window.showQuickPick(picks, { title }, token))).label
  })

const show = (file: string) =>
  Effect.flatMap(
    perform(() => vscode.workspace.openTextDocument(vscode.Uri.file(file))),
    (document) => perform(() => vscode.window.showTextDocument(document))
  )

export const addMcpServer = command("belay.addMcpServer", () =>
  Effect.gen(function* () {
    const file = Mcp.userFile()
    const found = yield* Effect.orElseSucceed(SettingsFile.read(file), () => ({}))
    if (found === undefined) yield* SettingsFile.write(file, { mcpServers: {} })
    yield* show(file)
  })
)

export const restartMcpServer = command("belay.restartMcpServer", (given) =>
  Effect.gen(function* () {
    const name = yield* serverOf(given, "Restart which MCP server?")
    const servers = yield* McpServers
    yield* servers
      .restart(Mcp.workspace(), name)
      .pipe(Effect.mapError(({ message }) => refused(`The MCP server ${name} was not started: ${message}`)))
    yield* (yield* McpView).refresh
  })
)

export const showMcpLog = command("belay.showMcpLog", (given) =>
  Effect.gen(function* () {
    const name = yield* serverOf(given, "The log of which MCP server?")
    const { log } = yield* Bridge
    const text = redaction.text((yield* McpServers).log(Mcp.workspace(), name)).trim()
    log.info(`MCP server ${name}: ${text === "" ? "it has said nothing." : `\n${text}`}`)
    log.show(true)
  })
)

export const trustMcpServers = command("belay.trustMcpServers", () =>
  Effect.gen(function* () {
    if (!vscode.workspace.isTrusted) {
      yield* perform(() => vscode.commands.executeCommand("workbench.trust.manage"))
      return
    }
    const workspace = Mcp.workspace()
    const content = Trust.everything(workspace)
    if (content._tag === "Unreadable") return yield* refused(`The project's servers are not started: ${content.why}.`)
    if (content._tag === "None" || (content.servers ?? content.shared) === undefined) {
      return yield* refused("This project has no MCP servers of its own (.belay/mcp.json, .mcp.json).")
    }
    yield* TrustDocument.show(content)
    const runs = "The programs of its MCP servers run on this machine, without a sandbox."
    const { trusted } = yield* Picker.choose({
      title: "The MCP servers of this project",
      about: [Picker.said(`${Trust.count(content)} of this folder are trusted with a yes, as they are shown`, runs)],
      items: [
        { label: "1  Ignore it", detail: "They are not started.", choice: { trusted: false } },
        { label: "2  Trust this content", choice: { trusted: true } }
      ]
    })
    // What was shown is what is trusted: another content by now is asked about again.
    yield* Trust.say(Home.directory(), workspace, content, trusted)
    yield* (yield* McpView).refresh
  })
)

const settingOf = (id: string, setting: "allow" | "ask", title: string) =>
  command(id, (given) =>
    Effect.gen(function* () {
      const name = yield* toolOf(given, title)
      const { server } = Mcp.partsOf(name)
      if (
        setting === "allow" &&
        (yield* listing).servers.some((one) => one.name === server && one.origin === "project")
      ) {
        const line = `The project brings ${server}, and a setting would hold in every folder. Answer "Always" where its tools ask.`
        return yield* refused(line)
      }
      yield* (yield* UserApprovals).setMcp(name, setting)
    })
  )

export const allowMcpTool = settingOf("belay.allowMcpTool", "allow", "Allow which tool without asking?")

export const askMcpTool = settingOf("belay.askMcpTool", "ask", "Ask before each call of which tool?")

const marked = (id: string, as: "readOnly" | "disabled", title: string) =>
  command(id, (given) =>
    Effect.gen(function* () {
      const name = yield* toolOf(given, title)
      const { servers } = yield* listing
      const { server } = Mcp.partsOf(name)
      if (as === "readOnly" && servers.some((one) => one.name === server && one.origin === "project")) {
        return yield* refused(`The project brings ${server}. To mark its tools, define it among your own servers.`)
      }
      const now = servers.flatMap(toolsOf).find((tool) => tool.name === name)?.tool.mark
      yield* Mcp.mark(name, now === as ? undefined : as)
      yield* (yield* McpView).refresh
    })
  )

export const markMcpToolReadOnly = marked("belay.markMcpToolReadOnly", "readOnly", "Which tool changes nothing?")

export const disableMcpTool = marked("belay.disableMcpTool", "disabled", "Which tool is never offered?")

export const approveMcpTool = command("belay.approveMcpTool", (given) =>
  Effect.gen(function* () {
    const isServer = typeof given === "string" && Mcp.partsOf(given).tool === undefined
    const name = isServer ? given : yield* toolOf(given, "Approve which tool as it is now?", (tool) => !tool.approved)
    const { server, tool } = Mcp.partsOf(name)
    yield* (yield* McpServers)
      .approve(Mcp.workspace(), server, tool === undefined ? undefined : [tool])
      .pipe(Effect.mapError(({ message }) => refused(message)))
    yield* (yield* McpView).refresh
  })
)
