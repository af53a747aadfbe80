/** The list as the assistant wanted it, beside the file, while both have changed the same items. */
import { TaskStore, TaskText } from "@belay/interaction/tasks"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as vscode from "vscode"
import { perform, Refusal, scoped } from "../vscode/Bridge.ts"
import { ChecklistEditor } from "./ChecklistEditor.ts"

const scheme = "belay-checklist"

const opened = (entry: TaskStore.Entry, texts: Map<string, string>) =>
  Effect.gen(function* () {
    const lists = yield* ChecklistEditor
    const title = TaskText.titleOf(entry)
    const text = yield* lists.theirs(entry)
    if (text === undefined) {
      return yield* new Refusal({ line: `No item of the checklist of "${title}" was changed by both.` })
    }
    const file = vscode.Uri.file(lists.path(entry))
    const theirs = file.with({ scheme, query: String(texts.size) })
    texts.set(theirs.toString(), text)
    const name = `Checklist of "${title}" (the assistant's ↔ yours)`
    return yield* perform(() => vscode.commands.executeCommand("vscode.diff", theirs, file, name))
  })

export class ChecklistComparison extends Context.Service<
  ChecklistComparison,
  {
    /** Errors: `Refusal` when there is nothing to compare. */
    readonly open: (entry: TaskStore.Entry) => ReturnType<typeof opened>
  }
>()("@belay/host-vscode/ChecklistComparison") {
  static readonly layer: Layer.Layer<ChecklistComparison> = Layer.effect(
    ChecklistComparison,
    Effect.gen(function* () {
      /** Each comparison has a document of its own, so none changes while it is read. */
      const texts = new Map<string, string>()
      const provideTextDocumentContent = (uri: vscode.Uri): string => texts.get(uri.toString()) ?? ""
      yield* scoped(() => vscode.workspace.registerTextDocumentContentProvider(scheme, { provideTextDocumentContent }))
      return ChecklistComparison.of({ open: (entry) => opened(entry, texts) })
    })
  )
}
