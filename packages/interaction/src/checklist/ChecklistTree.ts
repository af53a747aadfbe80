/**
 * The checklists of a task and of its subtasks as one tree: a subtask's list hangs under the item that has its name, and
 * where none has, under a row of its own.
 *
 * An element is the id of a task and of an item, or of a subtask alone, so that selection stays with it.
 */
import * as TaskStore from "../tasks/TaskStore.ts"
import * as TaskText from "../tasks/TaskText.ts"
import { Checklist } from "@belay/focus-chain"
import type { List } from "./ListState.ts"

/** A row of the tree. */
export interface Node {
  readonly element: string
  readonly entry: TaskStore.Entry
  /** Absent: the row of a subtask that no item names. */
  readonly item: Checklist.Item | undefined
  /** The subtask whose list is below. */
  readonly subtask: TaskStore.Entry | undefined
  readonly parent: string | undefined
}

/** The rows, and which stand below which. */
export interface Tree {
  readonly nodes: ReadonlyMap<string, Node>
  readonly below: ReadonlyMap<string | undefined, ReadonlyArray<string>>
}

/** The subtasks of a task that have a list, in call order. */
const withLists = (entry: TaskStore.Entry, lists: ReadonlyMap<string, List>, entries: TaskStore.Snapshot["entries"]) =>
  (entry.node.children ?? []).flatMap(({ row }) => {
    const child = entries.get(row.record.id)
    return child === undefined || (lists.get(row.record.id)?.items.length ?? 0) === 0 ? [] : [child]
  })

/** The checklists of a task and of everything below it; `lists`: by the ids of tasks. */
export const make = (
  root: TaskStore.Entry,
  lists: ReadonlyMap<string, List>,
  entries: TaskStore.Snapshot["entries"]
): Tree => {
  const nodes = new Map<string, Node>()
  const below = new Map<string | undefined, ReadonlyArray<string>>()
  const visit = (entry: TaskStore.Entry, parent: string | undefined): void => {
    const id = TaskStore.idOf(entry)
    const rows = Checklist.place(lists.get(id)?.items ?? [], withLists(entry, lists, entries), TaskText.titleOf)
    const placed = rows.flatMap(({ item, subtask }): ReadonlyArray<Node> => {
      if (item !== undefined) return [{ element: `${id} ${item.id}`, entry, item, subtask, parent }]
      return subtask === undefined ? [] : [{ element: TaskStore.idOf(subtask), entry: subtask, item, subtask, parent }]
    })
    for (const node of placed) {
      nodes.set(node.element, node)
      if (node.subtask !== undefined) visit(node.subtask, node.element)
    }
    below.set(
      parent,
      placed.map(({ element }) => element)
    )
  }
  visit(root, undefined)
  return { nodes, below }
}
