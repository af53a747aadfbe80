/** A server and a tool of it as rows: what they are called, how they are, and what a person can do with them. */
import { Approvals } from "@belay/approval-policy"
import { Words } from "@belay/interaction"
import { ServerFile, type Servers } from "@belay/tool-executor/mcp"
import * as vscode from "vscode"
import { redaction } from "../vscode/Redaction.ts"

const plain = (text: string): string => Words.printable(redaction.text(text))

const counted = (count: number): string => `${count} ${count === 1 ? "tool" : "tools"}`

export const stateText = ({ state }: Servers.Server): string => {
  switch (state._tag) {
    case "Connected":
      return `Connected · ${counted(state.tools.length)}`
    case "Failed":
      return `Failed: ${plain(state.reason)}`
    case "Starting":
      return "Starting…"
    case "Untrusted":
      return plain(state.why)
    case "Disabled":
      return "Switched off"
    case "Idle":
      return "Not started"
  }
}

const icons: Record<Servers.State["_tag"], string> = {
  Connected: "plug",
  Failed: "error",
  Starting: "loading~spin",
  Untrusted: "shield",
  Disabled: "circle-slash",
  Idle: "debug-disconnect"
}

const runs = ({ definition }: Servers.Server): string =>
  plain(
    ServerFile.isLocal(definition)
      ? [definition.command, ...(definition.args ?? [])].join(" ")
      : definition.url.replace(/\?.*$/s, "?…")
  )

export const ofServer = (server: Servers.Server): vscode.TreeItem => {
  const { name, state } = server
  const isOpen = state._tag === "Connected" && state.tools.length > 0
  const changed = state._tag === "Connected" && state.tools.some(({ approved }) => !approved)
  return Object.assign(
    new vscode.TreeItem(
      name,
      isOpen ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None
    ),
    {
      id: name,
      description: `${stateText(server)}${changed ? " · some have changed" : ""}`,
      tooltip: `${stateText(server)}\n${runs(server)}`,
      iconPath: new vscode.ThemeIcon(icons[state._tag]),
      contextValue: ` server ${state._tag === "Untrusted" ? "untrusted" : "started"} ${changed ? "changed " : ""}`,
      accessibilityInformation: { label: `MCP server ${name}, ${stateText(server)}` }
    }
  )
}

const decided = { allow: "allowed", ask: "asks", deny: "denied" } as const

/** What a call of a tool would meet, and what the user says of it. */
const toolText = (server: string, tool: Servers.Tool, approvals: Approvals.Approvals): string => {
  if (tool.mark === "disabled") return "switched off"
  if (!tool.approved) return "asks: it has changed or is new"
  const setting = decided[Approvals.mcpSetting(approvals, server, tool.name)]
  return tool.mark === "readOnly" ? `${setting} · read-only (you marked it)` : setting
}

export const ofTool = (server: string, tool: Servers.Tool, approvals: Approvals.Approvals): vscode.TreeItem =>
  Object.assign(new vscode.TreeItem(plain(tool.name)), {
    id: `${server}/${tool.name}`,
    description: toolText(server, tool, approvals),
    tooltip: plain(tool.description).slice(0, 2000),
    iconPath: new vscode.ThemeIcon(tool.approved ? "tools" : "warning"),
    contextValue: ` tool ${tool.approved ? "" : "changed "}${tool.mark ?? "unmarked"} `,
    accessibilityInformation: { label: `Tool ${plain(tool.name)}, ${toolText(server, tool, approvals)}` }
  })
