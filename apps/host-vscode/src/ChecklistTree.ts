/**
 * The checklists of a task and of its subtasks as one tree: a subtask's list hangs under the item that has its name, and
 * where none has, under a row of its own.
 *
 * An element is the id of a task and of an item, or of a subtask alone, so that selection stays with it.
 */
import type { Checklist } from "@belay/focus-chain"
import * as Board from "./Board.ts"
import type { List } from "./Lists.ts"
import * as TaskItem from "./TaskItem.ts"

export interface Node {
  readonly element: string
  readonly entry: Board.Entry
  /** Absent: the row of a subtask that no item names. */
  readonly item: Checklist.Item | undefined
  /** The subtask whose list is below. */
  readonly subtask: Board.Entry | undefined
  readonly parent: string | undefined
}

export interface Tree {
  readonly nodes: ReadonlyMap<string, Node>
  readonly below: ReadonlyMap<string | undefined, ReadonlyArray<string>>
}

const plain = (text: string): string => text.trim().toLowerCase()

const isNamedBy = (item: Checklist.Item, subtask: Board.Entry): boolean =>
  plain(TaskItem.titleOf(subtask)).startsWith(plain(item.text))

/** The subtasks of a task that have a list, in call order. */
const withLists = (entry: Board.Entry, lists: ReadonlyMap<string, List>, entries: Board.Snapshot["entries"]) =>
  (entry.node.children ?? []).flatMap(({ row }) => {
    const child = entries.get(row.record.id)
    return child === undefined || (lists.get(row.record.id)?.items.length ?? 0) === 0 ? [] : [child]
  })

export const make = (root: Board.Entry, lists: ReadonlyMap<string, List>, entries: Board.Snapshot["entries"]): Tree => {
  const nodes = new Map<string, Node>()
  const below = new Map<string | undefined, ReadonlyArray<string>>()
  const visit = (entry: Board.Entry, parent: string | undefined): void => {
    const id = Board.idOf(entry)
    const left = [...withLists(entry, lists, entries)]
    const rows = (lists.get(id)?.items ?? []).map((item): Node => {
      const at = left.findIndex((subtask) => isNamedBy(item, subtask))
      const [subtask] = at < 0 ? [] : left.splice(at, 1)
      return { element: `${id} ${item.id}`, entry, item, subtask, parent }
    })
    const unnamed = left.map((subtask): Node => {
      const element = Board.idOf(subtask)
      return { element, entry: subtask, item: undefined, subtask, parent }
    })
    for (const node of [...rows, ...unnamed]) {
      nodes.set(node.element, node)
      if (node.subtask !== undefined) visit(node.subtask, node.element)
    }
    below.set(
      parent,
      [...rows, ...unnamed].map(({ element }) => element)
    )
  }
  visit(root, undefined)
  return { nodes, below }
}
