/**
 * The checklist of the shown task, with those of its subtasks: a shortcut to the files, which it follows.
 *
 * A box that is ticked changes one line of the file. Files are followed while the view is seen; a hidden view costs nothing.
 */
import { type ChecklistTree, type ListState, TaskStore } from "@belay/interaction/tasks"
import { TaskNode } from "@belay/task-engine/remote"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as vscode from "vscode"
import { Bridge, scoped, tell, tree } from "../vscode/Bridge.ts"
import * as ChecklistEditor from "./ChecklistEditor.ts"
import * as ListFiles from "./ListFiles.ts"
import * as ShownLists from "./ShownLists.ts"
import { ShownTask } from "../tasks/ShownTask.ts"

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
    const clock = yield* Clock.Clock
    const shownLists = new ShownLists.ShownLists()
    const { log, views } = yield* Bridge
    const view = views["belay.checklist"]
    const changed = yield* scoped(() => new vscode.EventEmitter<undefined>())
    const context = yield* Effect.context()
    const run = (effect: Effect.Effect<void, unknown>): void =>
      void Effect.runForkWith(context)(Effect.catchCause(effect, (cause) => Effect.sync(() => tell(log, cause))))

    const entryOf = (): TaskStore.Entry | undefined => board.now().entries.get(shown.id() ?? "")

    const show = (entry: TaskStore.Entry | undefined, found: ReadonlyMap<string, ListState.List>): void => {
      const head = shownLists.take(entry, found, board.now().entries)
      if (head === undefined) return
      view.description = head.title
      view.message = head.message
      void vscode.commands.executeCommand("setContext", "belay.shownTaskHasChecklist", head.shows)
      void vscode.commands.executeCommand("setContext", "belay.checklistConflict", head.conflict)
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
          const items = yield* lists.read(one)
          shownLists.note(row.record.id, items, clock.currentTimeMillisUnsafe())
          found.set(row.record.id, items)
        }
        // The person may have gone to another task meanwhile.
        if (entry === entryOf()) show(entry, found)
      })
    })

    const followed = Effect.suspend(() => {
      const entry = entryOf()
      return Effect.andThen(entry === undefined ? Effect.void : lists.follow(entry), read)
    })
    const follow = yield* ListFiles.watch(() => run(followed))
    const watch = Effect.suspend(() => {
      const entry = view.visible ? entryOf() : undefined
      return follow(new Set(withSubtasks(entry, board.now()).map(TaskStore.idOf)))
    })
    const refresh = (): void => {
      run(watch)
      run(read)
    }

    const toggle = ({ items }: vscode.TreeCheckboxChangeEvent<string>) =>
      Effect.gen(function* () {
        for (const [element, box] of items) {
          const node = shownLists.tree.nodes.get(element)
          if (node?.item === undefined) continue
          const state = box === vscode.TreeItemCheckboxState.Checked ? "done" : "open"
          yield* lists.edit(node.entry, [{ id: node.item.id, state }])
        }
      }).pipe(
        // What was not changed shows as it is.
        Effect.ensuring(Effect.sync(shownLists.invalidate)),
        Effect.ensuring(Effect.ignore(read))
      )

    board.listen(refresh)
    shown.listen(refresh)
    yield* scoped(() => view.onDidChangeVisibility(refresh))
    yield* scoped(() => view.onDidChangeCheckboxState((event) => run(toggle(event))))
    yield* scoped(() =>
      vscode.workspace.onDidChangeTextDocument(({ document }) => ListFiles.isList(document) && run(read))
    )
    yield* scoped(() =>
      vscode.workspace.onDidSaveTextDocument((document) => ListFiles.isList(document) && run(saved(document)))
    )
    const saved = (document: vscode.TextDocument) => {
      const entry = board.now().entries.get(ListFiles.taskOf(document.uri) ?? "")
      return entry !== undefined && vscode.Uri.file(lists.path(entry)).fsPath === document.uri.fsPath
        ? Effect.andThen(lists.follow(entry), read)
        : Effect.void
    }
    yield* Effect.catchCause(read, (cause) => Effect.sync(() => tell(log, cause)))
    yield* watch

    yield* tree("belay.checklist", {
      onDidChangeTreeData: changed.event,
      getChildren: (element) => [...(shownLists.tree.below.get(element) ?? [])],
      getTreeItem: shownLists.itemOf,
      getParent: (element) => shownLists.tree.nodes.get(element)?.parent
    })
    return ChecklistView.of({ tree: () => shownLists.tree, selection: () => view.selection[0] })
  })
)

const withSubtasks = (
  entry: TaskStore.Entry | undefined,
  { entries }: TaskStore.Snapshot
): ReadonlyArray<TaskStore.Entry> =>
  entry === undefined
    ? []
    : [entry, ...TaskNode.descendants(entry.node).flatMap(({ row }) => entries.get(row.record.id) ?? [])]
