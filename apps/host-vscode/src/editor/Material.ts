/** What a person points at in the editor, as text for a message: files, lines, problems, a terminal's selection. */
import * as Effect from "effect/Effect"
import * as path from "node:path"
import * as vscode from "vscode"
import { perform, Refusal } from "../vscode/Bridge.ts"
import * as Mention from "./Mention.ts"

const severities = ["Error", "Warning", "Information", "Hint"] as const

const placeOf = (address: vscode.Uri): Mention.Place => {
  const folder = vscode.workspace.getWorkspaceFolder(address)
  if (folder === undefined) return { path: address.fsPath.replaceAll("\\", "/").replace(/^\//u, "") }
  const relative = path.relative(folder.uri.fsPath, address.fsPath).replaceAll("\\", "/")
  const several = (vscode.workspace.workspaceFolders?.length ?? 0) > 1
  return several ? { root: folder.name, path: relative } : { path: relative }
}

const isAddress = (value: unknown): value is vscode.Uri => value instanceof vscode.Uri

/** The files of an explorer's, an editor's or a source control's menu. */
const addressesOf = (args: ReadonlyArray<unknown>): ReadonlyArray<vscode.Uri> => {
  const [first, second] = args
  if (Array.isArray(second) && second.some(isAddress)) return second.filter(isAddress)
  return [first, ...args.slice(1)].flatMap((value) => {
    if (isAddress(value)) return [value]
    return value instanceof Object && "resourceUri" in value && isAddress(value.resourceUri) ? [value.resourceUri] : []
  })
}

const isFolder = (address: vscode.Uri) =>
  Effect.orElseSucceed(
    Effect.map(
      perform(() => vscode.workspace.fs.stat(address)),
      ({ type }) => (type & vscode.FileType.Directory) !== 0
    ),
    () => false
  )

const nothing = () => new Refusal({ line: "There is nothing to add. Open a file, or choose one in the explorer." })

/** What the tab in front shows: a text, or a picture or notebook that no text editor has. */
const openFile = (): vscode.Uri | undefined => {
  const input: unknown = vscode.window.tabGroups.activeTabGroup.activeTab?.input
  const shown = input instanceof Object && "uri" in input ? input.uri : undefined
  const address = vscode.window.activeTextEditor?.document.uri ?? shown
  return isAddress(address) && address.scheme === "file" ? address : undefined
}

/** The files that a menu names, else the one that is open. Errors: `Refusal` when there is none. */
export const named = (args: ReadonlyArray<unknown>) =>
  Effect.suspend(() => {
    const all = addressesOf(args)
    const open = openFile()
    if (all.length > 0) return Effect.succeed(all)
    return open === undefined ? Effect.fail(nothing()) : Effect.succeed([open])
  })

/** Files and folders as they stand in a message, side by side. */
export const mentions = (addresses: ReadonlyArray<vscode.Uri>) =>
  Effect.map(
    Effect.forEach(addresses, (address) =>
      Effect.map(isFolder(address), (folder) => Mention.place({ ...placeOf(address), isFolder: folder }))
    ),
    (all) => all.join(" ")
  )

/** Files that a menu names. Errors: `Refusal` when it names none and no file is open. */
export const files = (args: ReadonlyArray<unknown>) =>
  Effect.gen(function* () {
    const all = yield* named(args)
    return { text: yield* mentions(all), near: all[0] }
  })

/** The lines that are selected in the active editor, else its file. */
export const selection = Effect.suspend(() => {
  const { activeTextEditor } = vscode.window
  if (activeTextEditor?.document.uri.scheme !== "file") return Effect.fail(nothing())
  const { document, selection } = activeTextEditor
  const { end, isEmpty, start } = selection
  // A selection that ends at the start of a line does not have that line.
  const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1
  const lines = isEmpty ? {} : { lines: [start.line + 1, last] as const }
  return Effect.succeed({ text: Mention.place({ ...placeOf(document.uri), ...lines }), near: document.uri })
})

/** One problem of a file. */
export const problem = (address: vscode.Uri, diagnostic: vscode.Diagnostic): string => {
  const { code, message, range, severity, source } = diagnostic
  const value = code instanceof Object ? code.value : code
  const from = [source, value].filter((part) => part !== undefined).join(" ")
  return Mention.problem({
    ...placeOf(address),
    lines: [range.start.line + 1, range.start.line + 1],
    severity: severities[severity],
    message,
    ...(from === "" ? {} : { source: from })
  })
}

/** What a command of the terminal copies; the clipboard is as it was. Errors: `Refusal` when it copies nothing. */
const terminal = (copy: string, line: string) =>
  Effect.gen(function* () {
    const before = yield* perform(() => vscode.env.clipboard.readText())
    yield* perform(() => vscode.env.clipboard.writeText(""))
    const copied = Effect.gen(function* () {
      yield* perform(() => vscode.commands.executeCommand(`workbench.action.terminal.${copy}`))
      return yield* perform(() => vscode.env.clipboard.readText())
    })
    const text = yield* Effect.ensuring(copied, Effect.ignore(perform(() => vscode.env.clipboard.writeText(before))))
    if (text.trim() === "") return yield* new Refusal({ line })
    return { text: Mention.output(text), near: undefined }
  })

export const terminalSelection = terminal(
  "copySelection",
  "Nothing is selected in the terminal. Select what to add and run it again."
)

/** Where the shell tells the editor of its commands. */
export const lastOutput = terminal(
  "copyLastCommandOutput",
  "The terminal has no output of a command. Run one in a shell that the editor knows, or select what to add."
)
