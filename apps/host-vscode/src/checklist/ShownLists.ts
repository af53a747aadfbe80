/**
 * What the checklist view shows: the lists of a task and its subtasks as rows, its title, and the line above them.
 *
 * It knows what was shown last, so that what changes nothing that can be seen is not drawn again.
 */
import { Checklist } from "@belay/focus-chain"
import { ChecklistEdits, ChecklistTree, HolderText, ListState, TaskStore, TaskText } from "@belay/interaction/tasks"
import * as vscode from "vscode"
import * as TurnPicker from "../checkpoints/TurnPicker.ts"
import * as TaskItem from "../tasks/TaskItem.ts"
import * as ChecklistEditor from "./ChecklistEditor.ts"
import * as ListItem from "./ListItem.ts"

const empty: ChecklistTree.Tree = { nodes: new Map(), below: new Map() }

/** Empty: there is nothing to say. */
const messageOf = (entry: TaskStore.Entry, list: ListState.List): string => {
  const { record } = entry.node.row
  if (ChecklistEditor.isElsewhere(entry)) return HolderText.follows(entry)
  if (list.deleted) return "The checklist file was deleted. The list is empty."
  const [item, was] = list.conflicts === 1 ? ["item", "was"] : ["items", "were"]
  return [
    ...(list.conflicts === 0 ? [] : [`${list.conflicts} ${item} ${was} changed by both; yours ${was} kept.`]),
    ...(!list.edited || record.status === "completed"
      ? []
      : ["You edited the list. The assistant will review it at its next step."])
  ].join(" ")
}

/** What a view says besides its rows. */
export interface Head {
  readonly title: string
  readonly message: string
  /** There is something to show, be it that a list is empty now. */
  readonly shows: boolean
  /** Both sides changed the same items. */
  readonly conflict: boolean
}

export class ShownLists {
  #tree = empty
  #drawn = ""
  readonly #edits = new ChecklistEdits.ChecklistEdits()

  get tree(): ChecklistTree.Tree {
    return this.#tree
  }

  /** A list was read, at a time in milliseconds. */
  readonly note = (id: string, list: ListState.List, now: number): void => this.#edits.note(id, list, now)

  /** Shows a task with the lists that were found, or no task. Nothing when it looks as before. */
  readonly take = (
    entry: TaskStore.Entry | undefined,
    found: ReadonlyMap<string, ListState.List>,
    entries: TaskStore.Snapshot["entries"]
  ): Head | undefined => {
    this.#tree = entry === undefined ? empty : ChecklistTree.make(entry, found, entries)
    const own = (entry && found.get(TaskStore.idOf(entry))) ?? ListState.none
    const { done, total } = Checklist.progress(own.items)
    const message = entry === undefined ? "" : messageOf(entry, own)
    const title = entry === undefined ? "" : `${TaskText.titleOf(entry)}${total === 0 ? "" : ` · ${done}/${total}`}`
    const nodes = [...this.#tree.nodes.values()]
    const drawn = JSON.stringify([
      title,
      message,
      nodes.map((node) => ChecklistEditor.isElsewhere(node.entry)),
      nodes.map(({ element, item, subtask }) => [
        element,
        item,
        subtask && TaskText.titleOf(subtask),
        this.#mineOf(element)
      ])
    ])
    if (drawn === this.#drawn) return undefined
    this.#drawn = drawn
    return { title, message, shows: nodes.length > 0 || own.edited || own.deleted, conflict: own.conflicts > 0 }
  }

  /** The editor may show something else than was drawn. */
  readonly invalidate = (): void => {
    this.#drawn = ""
  }

  readonly itemOf = (element: string): vscode.TreeItem => {
    const node = this.#tree.nodes.get(element)
    if (node === undefined) return new vscode.TreeItem(element)
    if (node.item === undefined) return TaskItem.of(node.entry)
    const subtask = node.subtask && TaskText.titleOf(node.subtask)
    const fixed = ChecklistEditor.isElsewhere(node.entry)
    return ListItem.of({ element, item: node.item, subtask, fixed, mine: this.#mineOf(element) })
  }

  #mineOf(element: string): ListItem.Row["mine"] {
    const node = this.#tree.nodes.get(element)
    const edit = node?.item && this.#edits.of(TaskStore.idOf(node.entry), node.item.id)
    return edit && { at: edit.at === undefined ? undefined : TurnPicker.timeOf(edit.at) }
  }
}
