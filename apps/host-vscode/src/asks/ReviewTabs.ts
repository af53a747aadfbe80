/** The editors that show a review: one comparison, or several files of one ask in one editor. */
import { OpenAsks, TaskText } from "@belay/interaction/tasks"
import { Words } from "@belay/interaction"
import * as vscode from "vscode"
import type { Sides } from "./Proposals.ts"

export type File = readonly [path: string, sides: Sides]

/** The changed sides that a tab shows, one below the other where it shows several files. */
const sidesOf = ({ input }: vscode.Tab): ReadonlyArray<vscode.Uri> => {
  if (input instanceof vscode.TabInputTextDiff) return [input.modified]
  const several = input instanceof Object && "textDiffs" in input ? input.textDiffs : undefined
  const all: ReadonlyArray<unknown> = Array.isArray(several) ? several : []
  return all.flatMap((one) =>
    one instanceof Object && "modified" in one && one.modified instanceof vscode.Uri ? [one.modified] : []
  )
}

/**
 * Where nothing that somebody may be typing in or has not saved is hidden: an empty group, or the one beside; nothing when
 * there is neither. Of another group the editor would make the active one.
 */
export const quietColumn = (): vscode.ViewColumn | undefined => {
  const { activeTabGroup, all } = vscode.window.tabGroups
  if (activeTabGroup.tabs.length === 0) return activeTabGroup.viewColumn
  // They stand in the order of their columns.
  const beside = all[all.findIndex(({ isActive }) => isActive) + 1]
  return beside === undefined || beside.activeTab?.isDirty === true ? undefined : vscode.ViewColumn.Beside
}

const showTogether = ({ entry }: OpenAsks.Open, files: ReadonlyArray<File>): Thenable<unknown> => {
  const list = files.map(([, { base, proposed }]) => [proposed, base, proposed])
  return vscode.commands.executeCommand("vscode.changes", `${TaskText.titleOf(entry)}, as proposed`, list)
}

/** A comparison without the focus; a tab that is a preview is the one that all of them share. */
const showOne = (
  { entry }: OpenAsks.Open,
  [path, { base, proposed }]: File,
  to: { readonly viewColumn: vscode.ViewColumn; readonly preview: boolean }
): Thenable<unknown> => {
  const name = `${Words.printable(path)} (as it is ↔ as proposed, ${TaskText.titleOf(entry)})`
  const quietly: vscode.TextDocumentShowOptions = { ...to, preserveFocus: true }
  return vscode.commands.executeCommand("vscode.diff", base, proposed, name, quietly)
}

/** One comparison leaves the focus where it is; an editor with several files takes it. */
export const show = (open: OpenAsks.Open, files: ReadonlyArray<File>): Thenable<unknown> => {
  const [first, second] = files
  const { viewColumn } = vscode.window.tabGroups.activeTabGroup
  return first === undefined || second !== undefined
    ? showTogether(open, files)
    : showOne(open, first, { viewColumn, preview: true })
}

/** Every file in a tab of its own, the first in front; the focus stays where it is. */
export const showQuietly = async (
  open: OpenAsks.Open,
  files: ReadonlyArray<File>,
  viewColumn: vscode.ViewColumn
): Promise<void> => {
  const [first, ...rest] = files
  if (first === undefined) return
  const to = { viewColumn, preview: rest.length === 0 }
  for (const file of [first, ...rest]) await showOne(open, file, to)
  if (rest.length > 0) await showOne(open, first, to)
}

/** The tabs in which the proposed side of a file is shown. */
export const of = (uri: vscode.Uri): ReadonlyArray<vscode.Tab> =>
  vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .filter((tab) => sidesOf(tab).some((side) => side.toString() === uri.toString()))

/** A proposed side that the editor in front shows with others. */
export const inFront = (): vscode.Uri | undefined => {
  const { activeTab } = vscode.window.tabGroups.activeTabGroup
  return activeTab === undefined || activeTab.input instanceof vscode.TabInputTextDiff
    ? undefined
    : sidesOf(activeTab)[0]
}
