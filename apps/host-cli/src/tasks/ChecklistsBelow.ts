/** The checklists of a task and of everything below it, and where those of subtasks stand. */
import { Checklist } from "@belay/focus-chain"
import { type HistoryError, TaskHistory } from "@belay/history-store"
import { TaskNode } from "@belay/task-engine/remote"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** The items of each task that has some, by its id. */
export type Lists = ReadonlyMap<string, Checklist.Checklist>

/** Of the task itself and of all below it. */
export const read = (node: TaskNode.TaskNode): Effect.Effect<Lists, HistoryError.HistoryError, TaskHistory> =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const lists = new Map<string, Checklist.Checklist>()
    for (const { row } of [node, ...TaskNode.descendants(node)]) {
      if (row.checklist === null) continue
      const list = yield* history.checklist(row.record.id)
      if (Option.isSome(list) && list.value.items.length > 0) lists.set(row.record.id, list.value.items)
    }
    return lists
  })

/** An item of a task's list, a subtask, or both: the subtask whose title begins with the item's text stands below it. */
export interface Place {
  readonly item: Checklist.Checklist[number] | undefined
  readonly subtask: TaskNode.TaskNode | undefined
}

const titleOf = ({ row }: TaskNode.TaskNode): string => row.meta.title

/** The items of a task in their order, with these of its subtasks; those that no item names come last. */
export const place = (
  node: TaskNode.TaskNode,
  lists: Lists,
  subtasks: ReadonlyArray<TaskNode.TaskNode> = node.children ?? []
): ReadonlyArray<Place> => Checklist.place(lists.get(node.row.record.id) ?? [], subtasks, titleOf)

const marks = { open: "[ ]", doing: "[-]", done: "[x]" } as const

/** An item as one line of a file has it. */
export const marked = ({ state, text }: Checklist.Checklist[number]): string => `${marks[state]} ${text}`
