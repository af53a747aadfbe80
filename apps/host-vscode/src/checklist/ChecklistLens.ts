/** The first line of a checklist file says which task uses it, and how that task is. */
import { TaskStore, TaskText } from "@belay/interaction/tasks"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as vscode from "vscode"
import { scoped } from "../vscode/Bridge.ts"
import { ChecklistEditor } from "./ChecklistEditor.ts"
import * as ListFiles from "./ListFiles.ts"

const files: vscode.DocumentSelector = { scheme: "file", pattern: "**/focus_chain_taskid_*.md" }

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const board = yield* TaskStore.TaskStore
    const lists = yield* ChecklistEditor
    const changed = yield* scoped(() => new vscode.EventEmitter<void>())
    board.listen(() => changed.fire())
    yield* scoped(() =>
      vscode.languages.registerCodeLensProvider(files, {
        onDidChangeCodeLenses: changed.event,
        provideCodeLenses: ({ uri }) => {
          const entry = board.now().entries.get(ListFiles.taskOf(uri) ?? "")
          if (entry === undefined || vscode.Uri.file(lists.path(entry)).fsPath !== uri.fsPath) return []
          const title = `Used by "${TaskText.titleOf(entry)}" (${entry.text.label.toLowerCase()})`
          const command = { command: "belay.openTask", title, arguments: [TaskStore.idOf(entry)] }
          return [new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), command)]
        }
      })
    )
  })
)
