/** A task as a row of a tree: sign, title, state in words, and what a screen reader says. */
import { TaskNode } from "@belay/task-engine/outside"
import { Copy, type View, Words } from "@belay/interaction"
import * as path from "node:path"
import * as vscode from "vscode"
import * as TaskActions from "./TaskActions.ts"
import type { Entry } from "./TaskTrees.ts"
import * as FilePath from "../vscode/FilePath.ts"

const isStill = (): boolean => vscode.workspace.getConfiguration("workbench").get("reduceMotion") === "on"

const iconOfSign = (sign: Words.Sign): vscode.ThemeIcon => {
  const name = isStill() ? (sign.codiconStill ?? sign.codicon) : sign.codicon
  return new vscode.ThemeIcon(name, new vscode.ThemeColor(Words.themeColors[sign.tone]))
}

export const iconOf = ({ text: { sign } }: Entry): vscode.ThemeIcon => iconOfSign(sign)

export const titleOf = ({ node }: Entry): string => Words.printable(node.row.meta.title)

/** `Needs you: run npm publish`, `Waiting for 2 · subtask needs you`. */
export const stateOf = ({ text }: Entry): string => Words.sentence(text, text.detail)

const costOf = (entry: Entry) => TaskNode.usage(entry.node).costUsd

/** The name of the workspace's folder that it works in, where there is more than one. */
const rootOf = ({ node }: Entry): string | undefined => {
  const folders = vscode.workspace.workspaceFolders ?? []
  const { workspace } = node.row.meta
  return folders.length < 2
    ? undefined
    : (folders.find(({ uri }) => FilePath.is(uri, workspace))?.name ?? path.basename(workspace))
}

/** What is seen of a request to the model. */
const answers: Readonly<Record<View.Answering, string>> = {
  waiting: "waiting for the model",
  streaming: "the model answers"
}

/** What a row shows beside its entry. */
export interface Beside {
  /** Where it stands in line. */
  readonly place?: number | undefined
  readonly answer?: View.Answering | undefined
}

const descriptionOf = (entry: Entry, { answer, place }: Beside): string => {
  const { checklist } = entry.node.row
  const root = rootOf(entry)
  const parts = [
    place === undefined ? stateOf(entry) : `${entry.text.label}, ${Words.inLine(place)}`,
    ...(checklist === null ? [] : [`${checklist.done}/${checklist.total}`]),
    Words.money(costOf(entry)),
    ...(answer === undefined || entry.text.state !== "running" ? [] : [answers[answer]]),
    ...(root === undefined ? [] : [Words.printable(root)])
  ]
  return parts.join(" · ")
}

/** `Wire the CLI, needs you, subtask of Release 2.0, 3 of 5 done, 8 cents`. */
const spoken = (entry: Entry): string => {
  const { node, parent, text } = entry
  const { checklist } = node.row
  return [
    titleOf(entry),
    text.label.toLowerCase(),
    ...(text.subtaskNeedsYou ? [Words.subtaskNeedsYou] : []),
    ...(parent === undefined ? [] : [`subtask of ${titleOf(parent)}`]),
    ...(checklist === null ? [] : [`${checklist.done} of ${checklist.total} done`]),
    Words.spokenMoney(costOf(entry))
  ].join(", ")
}

export const of = (entry: Entry, beside: Beside = {}): vscode.TreeItem => {
  const { children, row } = entry.node
  const bare = (children ?? []).length + row.unreadable.length === 0
  const fold = bare ? "None" : row.record.status === "completed" ? "Collapsed" : "Expanded"
  const item = new vscode.TreeItem(titleOf(entry), vscode.TreeItemCollapsibleState[fold])
  item.id = row.record.id
  item.description = descriptionOf(entry, beside)
  item.iconPath = iconOf(entry)
  item.contextValue = TaskActions.contextValue(entry)
  item.accessibilityInformation = { label: spoken(entry) }
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
