/**
 * The MCP servers of the user and of the window's first folder, as the view and its commands look at them.
 *
 * A project's servers count only in a folder that the editor trusts, and for exactly the content that a person has looked
 * at; both hosts remember that in the same file.
 */
import * as SettingsFile from "@belay/settings/file"
import * as Trust from "@belay/settings/trust"
import { McpServers, type ServerFile, Servers } from "@belay/tool-executor/mcp"
import type { PassedVariables } from "@belay/tool-executor/workspace"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as vscode from "vscode"
import * as Home from "../activation/Home.ts"
import * as Preferences from "../settings/Preferences.ts"
import { redaction } from "../vscode/Redaction.ts"
import * as FilePath from "../vscode/FilePath.ts"

const mayTrust = 'Look at it with "Trust this project\'s servers".'

/** The layer of one activation. */
export const layer = () => {
  const directory = Home.directory()
  const made = (rules: PassedVariables.Rules) =>
    McpServers.layer({
      directory,
      rules,
      onSecret: redaction.add,
      project: (workspace) =>
        Effect.map(Trust.servers(directory, workspace, mayTrust), (found) =>
          found._tag === "Trusted" && !vscode.workspace.isTrusted
            ? { _tag: "Untrusted", text: found.text, why: "From this project. Not started: the folder is not trusted." }
            : found
        )
    })
  return Layer.unwrap(Effect.map(Preferences.variables, made))
}

/** The folder whose servers are shown; the data folder, which has none, where no folder is open. */
export const workspace = (): string => {
  const root = (vscode.workspace.workspaceFolders ?? []).find(({ uri }) => uri.scheme === "file")
  return root === undefined ? Home.directory() : FilePath.of(root.uri)
}

export const userFile = (): string => Servers.userFile(Home.directory())

/** An element of the view: a server, or a tool of it as `server/tool`. */
export const partsOf = (element: string): { readonly server: string; readonly tool: string | undefined } => {
  const at = element.indexOf("/")
  return at < 0 ? { server: element, tool: undefined } : { server: element.slice(0, at), tool: element.slice(at + 1) }
}

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {}

/** Says of a tool what the user says of it; nothing takes it back. What else the file holds stays. */
export const mark = (element: string, as: ServerFile.Mark | undefined) =>
  Effect.gen(function* () {
    const before = fieldsOf(yield* SettingsFile.read(userFile()))
    const others = Object.entries(fieldsOf(before["tools"])).filter(([name]) => name !== element)
    const tools = Object.fromEntries(as === undefined ? others : [...others, [element, as]])
    yield* SettingsFile.write(userFile(), { ...before, tools })
  })
