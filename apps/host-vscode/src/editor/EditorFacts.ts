/** What the editor knows of a folder, as text for the model: its problems, the newest terminal output, open files. */
import type { EditorContext } from "@belay/prompt-context"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import * as vscode from "vscode"
import * as FilePath from "../vscode/FilePath.ts"

const mostProblems = 200
const longest = 16_000

const severities = ["error", "warning", "information", "hint"] as const

const within = (workspace: string, address: vscode.Uri): string | undefined => {
  if (address.scheme !== "file") return undefined
  const relative = path.relative(workspace, FilePath.of(address))
  return relative.startsWith("..") || path.isAbsolute(relative) ? undefined : relative.replaceAll("\\", "/")
}

const oneLine = (text: string): string => text.replaceAll(/\s+/gu, " ").trim()

/** Errors first, then warnings; one line each. */
const problems = (workspace: string): string => {
  const found = vscode.languages.getDiagnostics().flatMap(([address, diagnostics]) => {
    const file = within(workspace, address)
    return file === undefined ? [] : diagnostics.map((diagnostic) => ({ file, diagnostic }))
  })
  const lines = found
    .filter(({ diagnostic }) => diagnostic.severity <= vscode.DiagnosticSeverity.Warning)
    .toSorted((a, b) => a.diagnostic.severity - b.diagnostic.severity)
    .map(
      ({ diagnostic: { message, range, severity }, file }) =>
        `${file}:${range.start.line + 1} ${severities[severity]}: ${oneLine(message)}`
    )
  const left = lines.length - mostProblems
  return [...lines.slice(0, mostProblems), ...(left > 0 ? [`(${left} more)`] : [])].join("\n")
}

const tabs = (workspace: string): string => {
  const files = vscode.window.tabGroups.all.flatMap(({ tabs }) =>
    tabs.flatMap(({ input }) => (input instanceof vscode.TabInputText ? [within(workspace, input.uri)] : []))
  )
  return [...new Set(files.filter((file) => file !== undefined))].join("\n")
}

/** Those on this machine's disk. */
const roots = (): ReadonlyArray<EditorContext.Root> =>
  (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === "file")
    .map(({ name, uri }) => ({ name, path: FilePath.of(uri) }))

/** What shells with integration printed last; kept from the moment the extension runs. */
const newest = { text: undefined as string | undefined }

// What colours and moves the cursor in a terminal.
// oxlint-disable-next-line no-control-regex
const escapes = /\u001B(?:\][^\u0007\u001B]*(?:\u0007|\u001B\\)|\[[0-?]*[ -/]*[@-~]|[@-Z\\-_])/gu

const follow = async ({ execution }: vscode.TerminalShellExecutionStartEvent): Promise<void> => {
  let text = `$ ${execution.commandLine.value}\n`
  for await (const piece of execution.read()) text = `${text}${piece}`.slice(-longest)
  newest.text = text.replaceAll(escapes, "").replaceAll("\r\n", "\n")
}

/** The port of the editor that this extension runs in. */
export const make = (): EditorContext.EditorContext => {
  vscode.window.onDidStartTerminalShellExecution((event) => void follow(event).catch(() => undefined))
  return {
    problems: (workspace) => Effect.sync(() => problems(workspace)),
    terminal: () => Effect.sync(() => newest.text),
    tabs: (workspace) => Effect.sync(() => tabs(workspace)),
    roots: () => Effect.sync(roots)
  }
}
