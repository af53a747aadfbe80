/** An item of a checklist as a row: its box, its text, in words what is in progress. */
import { Checklist } from "@belay/focus-chain"
import { Words } from "@belay/interaction"
import * as vscode from "vscode"

const icons = { open: "circle-outline", doing: "arrow-right", done: "pass" } as const
const spoken = { open: "", doing: ", in progress", done: "" } as const

export interface Row {
  readonly element: string
  readonly item: Checklist.Item
  /** The title of the subtask that works on it. */
  readonly subtask: string | undefined
  /** The person changed it and the model does not know yet: the time, where this window saw it. */
  readonly mine: { readonly at: string | undefined } | undefined
  /** A person cannot change it here. */
  readonly fixed: boolean
}

const descriptionOf = ({ item, mine, subtask }: Row): string =>
  [
    ...(item.state === "doing" ? ["in progress"] : []),
    ...(subtask === undefined ? [] : [`subtask "${subtask}"`]),
    ...(mine === undefined ? [] : [`you changed this${mine.at === undefined ? "" : ` ${mine.at}`}`])
  ].join(" · ")

export const of = (row: Row): vscode.TreeItem => {
  const { fixed, item, subtask } = row
  const { Expanded, None } = vscode.TreeItemCollapsibleState
  const text = Words.printable(item.text)
  const result = new vscode.TreeItem(text, subtask === undefined ? None : Expanded)
  const checked = item.state === "done"
  result.id = row.element
  result.description = descriptionOf(row)
  result.contextValue = ` item ${item.state} ${fixed ? "fixed" : "free"} `
  result.accessibilityInformation = { label: `${text}${spoken[item.state]}, ${checked ? "checked" : "not checked"}` }
  if (fixed || item.state === "doing") result.iconPath = new vscode.ThemeIcon(icons[item.state])
  if (!fixed) {
    const { Checked, Unchecked } = vscode.TreeItemCheckboxState
    result.checkboxState = checked ? Checked : Unchecked
  }
  return result
}
