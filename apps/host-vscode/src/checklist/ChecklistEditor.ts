/**
 * The checklists as this window reads and edits them: the file is the truth, or what is typed in its editor and not saved.
 *
 * An edit changes the lines of the items it names and nothing else. It goes through the editor that has unsaved changes,
 * so it never overwrites them; else into the file, and the task's progress follows, whoever runs the task.
 */
import { HolderText, ListState, TaskStore, TaskText } from "@belay/interaction/tasks"
import { Checklist, FocusChain, type FocusChainError } from "@belay/focus-chain"
import { type HistoryError, TaskHistory } from "@belay/history-store"
import { TaskNode } from "@belay/task-engine/remote"
import type { Command } from "@belay/task-state"
import * as Context from "effect/Context"
import { Telemetry } from "@belay/task-engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as vscode from "vscode"
import { EditorError, perform, Refusal } from "../vscode/Bridge.ts"
import { redaction } from "../vscode/Redaction.ts"
import * as TextChange from "../vscode/TextChange.ts"

type Reads = FocusChainError | HistoryError.HistoryError

const same = (left: Checklist.Checklist, right: Checklist.Checklist): boolean =>
  JSON.stringify(left) === JSON.stringify(right)

/** What the person made of a list that the model knows. */
const changedBy = (known: Checklist.Checklist, items: Checklist.Checklist): ReadonlySet<string> => {
  const before = new Map(known.map((item) => [item.id, JSON.stringify(item)]))
  const changed = items.filter((item) => before.get(item.id) !== JSON.stringify(item))
  return new Set(known.length === 0 ? [] : changed.map(({ id }) => id))
}

/** Another process has the task, so the list is its to change; a person may still edit the file. */
export const isElsewhere = (entry: TaskStore.Entry): boolean => !entry.here && TaskNode.isAlive(entry.node)

export class ChecklistEditor extends Context.Service<
  ChecklistEditor,
  {
    readonly path: (entry: TaskStore.Entry) => string
    readonly read: (entry: TaskStore.Entry) => Effect.Effect<ListState.List, Reads>
    /** Errors: `Refusal` when an item is gone or another process runs the task. */
    readonly edit: (
      entry: TaskStore.Entry,
      patches: ReadonlyArray<Checklist.Patch>
    ) => Effect.Effect<void, Reads | Refusal | EditorError | Command.TransitionRejected>
    /** The file as the model wanted it, while both have changed the same items. */
    readonly theirs: (entry: TaskStore.Entry) => Effect.Effect<string | undefined, Reads>
    /** Tells the history what the file says, of a task that nobody runs: its runner looks for itself. */
    readonly follow: (entry: TaskStore.Entry) => Effect.Effect<void, Reads | Command.TransitionRejected>
  }
>()("@belay/host-vscode/ChecklistEditor") {
  static readonly layer: Layer.Layer<ChecklistEditor, never, FocusChain | TaskHistory | TaskStore.TaskStore> =
    Layer.effect(
      ChecklistEditor,
      Effect.gen(function* () {
        const files = yield* FocusChain
        const history = yield* TaskHistory
        const board = yield* TaskStore.TaskStore
        const path = (entry: TaskStore.Entry): string => files.path(entry.node.row.record.id)

        const unsaved = (entry: TaskStore.Entry): vscode.TextDocument | undefined => {
          const { fsPath } = vscode.Uri.file(path(entry))
          return vscode.workspace.textDocuments.find(
            ({ isDirty, uri }) => isDirty && uri.scheme === "file" && uri.fsPath === fsPath
          )
        }

        const stored = (entry: TaskStore.Entry) =>
          Effect.map(files.read(entry.node.row.record.id), Option.map(redaction.deep))

        const keep = (entry: TaskStore.Entry, items: Checklist.Checklist) =>
          Effect.gen(function* () {
            const steps = [{ _tag: "ChecklistEdited" as const, taskId: entry.node.row.record.id, items }]
            yield* Telemetry.tell((yield* history.commit(steps)).events)
            yield* board.refresh
          })

        const typed = (document: vscode.TextDocument, patches: ReadonlyArray<Checklist.Patch>) =>
          Effect.gen(function* () {
            const text = yield* Effect.fromResult(Checklist.edit(document.getText(), patches))
            const change = new vscode.WorkspaceEdit()
            change.replace(document.uri, ...TextChange.of(document, text))
            yield* perform(() => vscode.workspace.applyEdit(change))
          })

        const saved = (entry: TaskStore.Entry, patches: ReadonlyArray<Checklist.Patch>) =>
          Effect.gen(function* () {
            const { record, meta } = entry.node.row
            const { items } = yield* files.edit(record.id, meta.title, (text) => Checklist.edit(text, patches))
            yield* keep(entry, items)
          })

        return ChecklistEditor.of({
          path,
          read: (entry) =>
            Effect.gen(function* () {
              const file = yield* stored(entry)
              const found = yield* history.checklist(entry.node.row.record.id)
              const known = Option.match(found, {
                onNone: () => [],
                onSome: ({ text }) => Checklist.items(Checklist.parse(text))
              })
              const document = unsaved(entry)
              const onDisk = Option.match(file, { onNone: () => [], onSome: ({ items }) => items })
              const items = document === undefined ? onDisk : Checklist.items(Checklist.parse(document.getText()))
              const deleted = Option.isNone(file) && known.length > 0
              const conflicts = Option.match(found, {
                onNone: () => 0,
                onSome: ({ conflict }) => conflict?.ids.length ?? 0
              })
              return { items, deleted, edited: !same(items, known), mine: changedBy(known, items), conflicts }
            }),
          theirs: (entry) =>
            Effect.gen(function* () {
              const { id } = entry.node.row.record
              const conflict = Option.getOrUndefined(yield* history.checklist(id))?.conflict
              const file = Option.getOrUndefined(yield* files.read(id))
              if (conflict === undefined || file === undefined) return undefined
              return Checklist.render(Checklist.replaceItems(Checklist.parse(file.text), conflict.theirs))
            }),
          edit: (entry, patches) =>
            Effect.gen(function* () {
              if (isElsewhere(entry)) {
                return yield* new Refusal({ line: HolderText.follows(entry) })
              }
              const document = unsaved(entry)
              const clean = redaction.deep(patches)
              yield* document === undefined ? saved(entry, clean) : typed(document, clean)
            }).pipe(
              Effect.catchTag("PatchError", ({ reason }) => {
                const title = TaskText.titleOf(entry)
                const line = `The item is no longer in the checklist of "${title}". Look at the list as it is now.`
                const empty = `Nothing was added to the checklist of "${title}": the item has no text.`
                return new Refusal({ line: reason === "emptyText" ? empty : line })
              })
            ),
          follow: (entry) =>
            Effect.gen(function* () {
              if (TaskNode.isAlive(entry.node)) return
              const found = yield* history.checklist(entry.node.row.record.id)
              const before = Option.match(found, { onNone: () => [], onSome: ({ items }) => items })
              const file = yield* stored(entry)
              const items = Option.match(file, { onNone: () => [], onSome: ({ items }) => items })
              if (!same(items, before)) yield* keep(entry, items)
            })
        })
      })
    )
}
