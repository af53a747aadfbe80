/** What a person does with a checklist: each change is one to the file, of the item chosen and no other. */
import { type ChecklistTree, TaskStore, TaskText } from "@belay/interaction/tasks"
import type { Checklist } from "@belay/focus-chain"
import { Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { chosen, command, perform, Refusal } from "../../vscode/Bridge.ts"
import { ChecklistComparison } from "../../checklist/ChecklistComparison.ts"
import { ChecklistView } from "../../checklist/ChecklistProvider.ts"
import { ChecklistEditor } from "../../checklist/ChecklistEditor.ts"
import { ShownTask } from "../../tasks/ShownTask.ts"
import * as TaskChoice from "../../tasks/TaskChoice.ts"
import * as IconText from "../../vscode/IconText.ts"

interface Row extends ChecklistTree.Node {
  readonly item: Checklist.Item
}

const isRow = (node: ChecklistTree.Node | undefined): node is Row => node?.item !== undefined

/** The item of the row, else the selected one, else one that is picked. */
const rowOf = (given: unknown, title: string) =>
  Effect.gen(function* () {
    const view = yield* ChecklistView
    const { nodes } = view.tree()
    const own = nodes.get(typeof given === "string" ? given : (view.selection() ?? ""))
    if (isRow(own)) return own
    const rows = [...nodes.values()].filter(isRow)
    if (rows.length === 0) return yield* new Refusal({ line: "There is no checklist. Open a task that has one." })
    const picks = rows.map((row) => ({
      row,
      label: IconText.plain(Words.printable(row.item.text)),
      description: TaskText.titleOf(row.entry)
    }))
    const { row } = yield* chosen((token) => vscode.window.showQuickPick(picks, { title }, token))
    return row
  })

const itemsOf = ({ entry }: Row) =>
  Effect.flatMap(ChecklistEditor, (lists) => Effect.map(lists.read(entry), ({ items }) => items))

const patched = (row: Row, patch: Checklist.Patch) =>
  Effect.flatMap(ChecklistEditor, (lists) => lists.edit(row.entry, [{ ...patch, id: row.item.id }]))

/** The task of the row, else the shown one, else one that is picked. */
const taskOf = (given: unknown) =>
  Effect.gen(function* () {
    const { tree } = yield* ChecklistView
    const shown = (yield* ShownTask).id()
    const row = typeof given === "string" ? tree().nodes.get(given) : undefined
    const own = row === undefined ? (given ?? shown) : TaskStore.idOf(row.entry)
    const none = 'There are no tasks yet. Start one with "Belay: New task".'
    return yield* TaskChoice.of(own, { title: "The checklist of which task?", none, fits: () => true })
  })

export const openChecklist = command("belay.openChecklist", (given) =>
  Effect.gen(function* () {
    const entry = yield* taskOf(given)
    const lists = yield* ChecklistEditor
    const { items } = yield* lists.read(entry)
    const title = TaskText.titleOf(entry)
    if (items.length === 0) {
      const line = `"${title}" has no checklist yet. Make one with "Belay: Add checklist item".`
      return yield* new Refusal({ line })
    }
    const document = yield* perform(() => vscode.workspace.openTextDocument(vscode.Uri.file(lists.path(entry))))
    return yield* perform(() => vscode.window.showTextDocument(document))
  })
)

export const compareChecklist = command("belay.compareChecklist", (given) =>
  Effect.gen(function* () {
    const { open } = yield* ChecklistComparison
    yield* open(yield* taskOf(given))
  })
)

export const addChecklistItem = command("belay.addChecklistItem", (given) =>
  Effect.gen(function* () {
    const entry = yield* taskOf(given)
    const { tree } = yield* ChecklistView
    const after = typeof given === "string" ? tree().nodes.get(given)?.item?.id : undefined
    const title = `Add an item to the checklist of "${TaskText.titleOf(entry)}"`
    const text = yield* chosen((token) => vscode.window.showInputBox({ title, ignoreFocusOut: true }, token))
    yield* (yield* ChecklistEditor).edit(entry, [{ text, ...(after === undefined ? {} : { after }) }])
  })
)

export const startChecklistItem = command("belay.startChecklistItem", (given) =>
  Effect.flatMap(rowOf(given, "Which item is in progress?"), (row) =>
    patched(row, { state: row.item.state === "doing" ? "open" : "doing" })
  )
)

/** One place up or down; the first and the last stay where they are. */
const moved = (given: unknown, by: -1 | 1) =>
  Effect.gen(function* () {
    const row = yield* rowOf(given, "Move which item?")
    const ids = (yield* itemsOf(row)).map(({ id }) => id)
    const at = ids.indexOf(row.item.id)
    if (at < 0 || ids[at + by] === undefined) return
    const after = by > 0 ? ids[at + 1] : ids[at - 2]
    yield* patched(row, { after: after ?? "" })
  })

export const moveChecklistItemUp = command("belay.moveChecklistItemUp", (given) => moved(given, -1))

export const moveChecklistItemDown = command("belay.moveChecklistItemDown", (given) => moved(given, 1))

export const deleteChecklistItem = command("belay.deleteChecklistItem", (given) =>
  Effect.flatMap(rowOf(given, "Delete which item?"), (row) => patched(row, { remove: true }))
)

export const copyChecklistItem = command("belay.copyChecklistItem", (given) =>
  Effect.flatMap(rowOf(given, "Copy which item?"), ({ item }) =>
    perform(() => vscode.env.clipboard.writeText(Words.printable(item.text)))
  )
)
