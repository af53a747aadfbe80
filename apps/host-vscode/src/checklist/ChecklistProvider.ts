/**
 * The checklist of the shown task, with those of its subtasks: a shortcut to the files, which it follows.
 *
 * A box that is ticked changes one line of the file. Files are followed while the view is seen; a hidden view costs nothing.
 */
import { ChecklistEdits, ChecklistTree, HolderText, ListState, TaskStore, TaskText } from "@belay/interaction/tasks"
import { Checklist, FocusChain } from "@belay/focus-chain"
import type { TaskId } from "@belay/task-state"
import { TaskNode } from "@belay/task-engine/outside"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as vscode from "vscode"
import { Bridge, scoped, tell, tree } from "../vscode/Bridge.ts"
import * as ListItem from "./ListItem.ts"
import * as ChecklistEditor from "./ChecklistEditor.ts"
import { ShownTask } from "../tasks/ShownTask.ts"
import * as TaskItem from "../tasks/TaskItem.ts"
import * as TurnPicker from "../checkpoints/TurnPicker.ts"

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

/** What commands about items look at. */
export class ChecklistView extends Context.Service<
  ChecklistView,
  {
    readonly tree: () => ChecklistTree.Tree
    readonly selection: () => string | undefined
  }
>()("@belay/host-vscode/ChecklistView") {}

export const layer = Layer.effect(
  ChecklistView,
  Effect.gen(function* () {
    const board = yield* TaskStore.TaskStore
    const shown = yield* ShownTask
    const lists = yield* ChecklistEditor.ChecklistEditor
    const files = yield* FocusChain
    const clock = yield* Clock.Clock
    const watching = yield* FiberMap.make<TaskId.TaskId>()
    const moments = new ChecklistEdits.ChecklistEdits()
    const { log, views } = yield* Bridge
    const view = views["belay.checklist"]
    const changed = yield* scoped(() => new vscode.EventEmitter<undefined>())
    const context = yield* Effect.context()
    let current = empty
    let look = ""
    const run = (effect: Effect.Effect<void, unknown>): void =>
      void Effect.runForkWith(context)(Effect.catchCause(effect, (cause) => Effect.sync(() => tell(log, cause))))

    const entryOf = (): TaskStore.Entry | undefined => board.now().entries.get(shown.id() ?? "")

    const mineOf = (element: string): ListItem.Row["mine"] => {
      const node = current.nodes.get(element)
      const moment = node?.item && moments.of(TaskStore.idOf(node.entry), node.item.id)
      return moment && { at: moment.at === undefined ? undefined : TurnPicker.timeOf(moment.at) }
    }

    const show = (entry: TaskStore.Entry | undefined, found: ReadonlyMap<string, ListState.List>): void => {
      current = entry === undefined ? empty : ChecklistTree.make(entry, found, board.now().entries)
      const own = (entry && found.get(TaskStore.idOf(entry))) ?? ListState.none
      const { done, total } = Checklist.progress(own.items)
      const message = entry === undefined ? "" : messageOf(entry, own)
      const title = entry === undefined ? "" : `${TaskText.titleOf(entry)}${total === 0 ? "" : ` · ${done}/${total}`}`
      const fixed = [...current.nodes.values()].map((node) => ChecklistEditor.isElsewhere(node.entry))
      const now = JSON.stringify([
        title,
        message,
        fixed,
        [...current.nodes.values()].map(({ element, item, subtask }) => [
          element,
          item,
          subtask && TaskText.titleOf(subtask),
          mineOf(element)
        ])
      ])
      if (now === look) return
      look = now
      view.description = title
      view.message = message
      const shows = current.nodes.size > 0 || own.edited || own.deleted
      void vscode.commands.executeCommand("setContext", "belay.shownTaskHasChecklist", shows)
      void vscode.commands.executeCommand("setContext", "belay.checklistConflict", own.conflicts > 0)
      changed.fire(undefined)
    }

    const read = Effect.suspend(() => {
      const entry = entryOf()
      const all = entry === undefined ? [] : [entry.node, ...TaskNode.descendants(entry.node)]
      return Effect.gen(function* () {
        const found = new Map<string, ListState.List>()
        for (const { row } of all) {
          const one = board.now().entries.get(row.record.id)
          if (one === undefined) continue
          const list = yield* lists.read(one)
          moments.note(row.record.id, list, clock.currentTimeMillisUnsafe())
          found.set(row.record.id, list)
        }
        // The person may have gone to another task meanwhile.
        if (entry === entryOf()) show(entry, found)
      })
    })

    const followed = Effect.suspend(() => {
      const entry = entryOf()
      return Effect.andThen(entry === undefined ? Effect.void : lists.follow(entry), read)
    })
    const watch = Effect.suspend(() => {
      const entry = view.visible ? entryOf() : undefined
      const wanted = new Set(entry === undefined ? [] : [entry, ...descendants(entry, board.now())].map(TaskStore.idOf))
      return Effect.gen(function* () {
        for (const id of wanted) {
          const changes = Stream.runForEach(files.watch(id), () => Effect.sync(() => run(followed)))
          yield* FiberMap.run(watching, id, changes, { onlyIfMissing: true })
        }
        const others = Array.from(watching, ([id]) => id).filter((id) => !wanted.has(id))
        for (const id of others) yield* FiberMap.remove(watching, id)
      })
    })
    const refresh = (): void => {
      run(watch)
      run(read)
    }

    const toggle = ({ items }: vscode.TreeCheckboxChangeEvent<string>) =>
      Effect.gen(function* () {
        for (const [element, box] of items) {
          const node = current.nodes.get(element)
          if (node?.item === undefined) continue
          const state = box === vscode.TreeItemCheckboxState.Checked ? "done" : "open"
          yield* lists.edit(node.entry, [{ id: node.item.id, state }])
        }
      }).pipe(
        // What was not changed shows as it is.
        Effect.ensuring(Effect.sync(() => (look = ""))),
        Effect.ensuring(Effect.ignore(read))
      )

    board.listen(refresh)
    shown.listen(refresh)
    yield* scoped(() => view.onDidChangeVisibility(refresh))
    yield* scoped(() => view.onDidChangeCheckboxState((event) => run(toggle(event))))
    yield* scoped(() => vscode.workspace.onDidChangeTextDocument(({ document }) => isList(document) && run(read)))
    yield* scoped(() => vscode.workspace.onDidSaveTextDocument((document) => isList(document) && run(saved(document))))
    const saved = (document: vscode.TextDocument) => {
      const entry = board.now().entries.get(idOf(document.uri) ?? "")
      return entry !== undefined && vscode.Uri.file(lists.path(entry)).fsPath === document.uri.fsPath
        ? Effect.andThen(lists.follow(entry), read)
        : Effect.void
    }
    yield* Effect.catchCause(read, (cause) => Effect.sync(() => tell(log, cause)))
    yield* watch

    yield* tree("belay.checklist", {
      onDidChangeTreeData: changed.event,
      getChildren: (element) => [...(current.below.get(element) ?? [])],
      getTreeItem: (element) => {
        const node = current.nodes.get(element)
        if (node === undefined) return new vscode.TreeItem(element)
        if (node.item === undefined) return TaskItem.of(node.entry)
        const subtask = node.subtask && TaskText.titleOf(node.subtask)
        const fixed = ChecklistEditor.isElsewhere(node.entry)
        return ListItem.of({ element, item: node.item, subtask, fixed, mine: mineOf(element) })
      },
      getParent: (element) => current.nodes.get(element)?.parent
    })
    return ChecklistView.of({ tree: () => current, selection: () => view.selection[0] })
  })
)

const isList = ({ uri }: vscode.TextDocument): boolean => uri.scheme === "file" && idOf(uri) !== undefined

/** The task whose list a file is, by its name. */
export const idOf = ({ path }: vscode.Uri): string | undefined => /\/focus_chain_taskid_([^/]+)\.md$/u.exec(path)?.[1]

const descendants = (entry: TaskStore.Entry, { entries }: TaskStore.Snapshot): ReadonlyArray<TaskStore.Entry> =>
  TaskNode.descendants(entry.node).flatMap(({ row }) => entries.get(row.record.id) ?? [])
