/**
 * The editors that show a review: one comparison, or several files of one ask in one editor.
 *
 * The editor with several files says no more of itself than its title, so that is what it is known by.
 */
import { Words } from "@belay/task-engine/protocol"
import * as vscode from "vscode"
import type { Open } from "./NeedsYouProvider.ts"
import type { Sides } from "./Proposals.ts"
import * as TaskItem from "./TaskItem.ts"

export type File = readonly [path: string, sides: Sides]

const all = (): ReadonlyArray<vscode.Tab> => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs)

const isComparisonOf = ({ input }: vscode.Tab, uri: vscode.Uri): boolean =>
  input instanceof vscode.TabInputTextDiff && input.modified.toString() === uri.toString()

/** The group that is active: it is named, so that none is made when it is locked. */
export const activeGroup = (): vscode.ViewColumn => vscode.window.tabGroups.activeTabGroup.viewColumn

/** A group in which nothing that somebody may be typing in or has not saved is hidden; nothing when there is none. */
export const quietGroup = (): vscode.ViewColumn | undefined => {
  const { activeTabGroup, all: groups } = vscode.window.tabGroups
  const isFree = (group: vscode.TabGroup): boolean =>
    group === activeTabGroup ? group.tabs.length === 0 : group.activeTab?.isDirty !== true
  return groups.find(isFree)?.viewColumn
}

export class ReviewTabs {
  /** The asks whose files are in one editor, by its title. */
  readonly #together = new Map<string, string>()

  readonly #isTogether = ({ input, label }: vscode.Tab, askId: string): boolean =>
    input === undefined && this.#together.get(label) === askId

  /** One comparison leaves the focus where it is; an editor with several files takes it. */
  readonly show = ({ ask, entry }: Open, files: ReadonlyArray<File>, column: vscode.ViewColumn): Thenable<unknown> => {
    const [first, second] = files
    if (first === undefined || second !== undefined) return this.#showTogether(ask.askId, entry, files)
    return this.showOne({ ask, entry }, first, column)
  }

  readonly #showTogether = (askId: string, entry: Open["entry"], files: ReadonlyArray<File>): Thenable<unknown> => {
    const title = `${TaskItem.titleOf(entry)} (${files.length} files as proposed)`
    this.#together.set(title, askId)
    const list = files.map(([, { base, proposed }]) => [proposed, base, proposed])
    return vscode.commands.executeCommand("vscode.changes", title, list)
  }

  /** A comparison without the focus, in the one tab that all of them share. */
  readonly showOne = (
    { entry }: Open,
    [path, { base, proposed }]: File,
    viewColumn: vscode.ViewColumn
  ): Thenable<unknown> => {
    const name = `${Words.printable(path)} (as it is ↔ as proposed, ${TaskItem.titleOf(entry)})`
    const quietly: vscode.TextDocumentShowOptions = { preview: true, preserveFocus: true, viewColumn }
    return vscode.commands.executeCommand("vscode.diff", base, proposed, name, quietly)
  }

  /** Where the proposed side of a file of an ask is shown. */
  readonly of = (uri: vscode.Uri, askId: string): ReadonlyArray<vscode.Tab> =>
    all().filter((tab) => isComparisonOf(tab, uri) || this.#isTogether(tab, askId))

  /** The ask whose files the editor in front shows together. */
  readonly inFront = (): string | undefined => {
    const { activeTab } = vscode.window.tabGroups.activeTabGroup
    return activeTab !== undefined && activeTab.input === undefined ? this.#together.get(activeTab.label) : undefined
  }
}
