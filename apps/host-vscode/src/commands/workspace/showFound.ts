/** Show what was found: the copies of a record that could not be read, as they were found, read-only. */
import { TaskStore } from "@belay/interaction/tasks"
import { TaskHistory } from "@belay/history-store"
import { Copy, Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { command, perform, Refusal, scoped } from "../../vscode/Bridge.ts"

const scheme = "belay-found"

const textOf = (id: string) =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.quarantined),
    (copies) => {
      const found = copies.filter(({ taskId }) => taskId === id)
      const parts = found.map(({ foundAt, reason, record }) =>
        [`${new Date(foundAt).toISOString()}  ${Words.printable(reason)}`, record].join("\n")
      )
      const none = "Nothing was copied of it yet. Check the history."
      return [...(parts.length === 0 ? [none] : [Copy.unreadable, ...parts]), ""].join("\n\n")
    }
  )

export const showFound = Effect.gen(function* () {
  const context = yield* Effect.context<TaskHistory>()
  yield* scoped(() =>
    vscode.workspace.registerTextDocumentContentProvider(scheme, {
      provideTextDocumentContent: ({ query }) => Effect.runPromiseWith(context)(textOf(query))
    })
  )
  yield* command("belay.showFound", (given) =>
    Effect.gen(function* () {
      const [first] = (yield* TaskStore.TaskStore).now().unreadable
      const id = typeof given === "string" ? given : first
      if (id === undefined) return yield* new Refusal({ line: "Every task can be read." })
      const address = vscode.Uri.from({ scheme, path: `/${Copy.unreadableRow(Words.shortId(id))}.txt`, query: id })
      const document = yield* perform(() => vscode.workspace.openTextDocument(address))
      yield* perform(() => vscode.window.showTextDocument(document, { preview: true, preserveFocus: true }))
    })
  )
})
