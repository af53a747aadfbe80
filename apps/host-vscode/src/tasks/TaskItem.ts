/** A task as a row of a tree: sign, title, state in words, and what a screen reader says. */
import { TaskActions, TaskText, type TaskTrees } from "@belay/interaction/tasks"
import { Copy, Words } from "@belay/interaction"
import * as path from "node:path"
import * as vscode from "vscode"
import * as FilePath from "../vscode/FilePath.ts"

const isStill = (): boolean => vscode.workspace.getConfiguration("workbench").get("reduceMotion") === "on"

const iconOfSign = (sign: Words.Sign): vscode.ThemeIcon => {
  const name = isStill() ? (sign.codiconStill ?? sign.codicon) : sign.codicon
  return new vscode.ThemeIcon(name, new vscode.ThemeColor(Words.themeColors[sign.tone]))
}

export const iconOf = ({ text: { sign } }: TaskTrees.Entry): vscode.ThemeIcon => iconOfSign(sign)

/** The name of the workspace's folder that it works in, where there is more than one. */
const rootOf = ({ node }: TaskTrees.Entry): string | undefined => {
  const folders = vscode.workspace.workspaceFolders ?? []
  const { workspace } = node.row.meta
  return folders.length < 2
    ? undefined
    : (folders.find(({ uri }) => FilePath.is(uri, workspace))?.name ?? path.basename(workspace))
}

/** Words with blanks around them, so that a menu's pattern finds whole words. */
const contextValue = (entry: TaskTrees.Entry): string => ` task ${entry.text.state} ${TaskActions.of(entry).join(" ")} `

export const of = (entry: TaskTrees.Entry, beside: TaskText.Beside = {}): vscode.TreeItem => {
  const { children, row } = entry.node
  const bare = (children ?? []).length + row.unreadable.length === 0
  const fold = bare ? "None" : row.record.status === "completed" ? "Collapsed" : "Expanded"
  const item = new vscode.TreeItem(TaskText.titleOf(entry), vscode.TreeItemCollapsibleState[fold])
  item.id = row.record.id
  item.description = TaskText.descriptionOf(entry, { folder: rootOf(entry), ...beside })
  item.iconPath = iconOf(entry)
  item.contextValue = contextValue(entry)
  item.accessibilityInformation = { label: TaskText.spoken(entry) }
  item.command = { command: "belay.openTask", title: "Open", arguments: [row.record.id] }
  return item
}

/** A task whose record cannot be read. */
export const unreadable = (id: string): vscode.TreeItem => {
  const item = new vscode.TreeItem(Copy.unreadableRow(Words.shortId(id)))
  item.id = id
  item.iconPath = iconOfSign(Words.signs.unreadable)
  item.contextValue = " unreadable "
  item.tooltip = Copy.unreadable
  item.accessibilityInformation = { label: `${Copy.unreadableRow(Words.shortId(id))}, unreadable` }
  item.command = { command: "belay.showFound", title: Words.signs.unreadable.action, arguments: [id] }
  return item
}
