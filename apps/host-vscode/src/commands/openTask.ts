/** Belay: Open task, Open parent. The conversation as a read-only document; the focus stays where it is for a click. */
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import * as Board from "../Board.ts"
import { command, perform } from "../Bridge.ts"
import { ShownTask } from "../ShownTask.ts"
import * as TaskChoice from "../TaskChoice.ts"
import * as TranscriptProvider from "../TranscriptProvider.ts"

const open = (entry: Board.Entry) =>
  Effect.gen(function* () {
    const shown = yield* ShownTask
    shown.show(Board.idOf(entry))
    const address = TranscriptProvider.addressOf(entry)
    const document = yield* perform(() => vscode.workspace.openTextDocument(address))
    yield* perform(() => vscode.window.showTextDocument(document, { preview: true, preserveFocus: true }))
  })

const question = {
  title: "Open which task?",
  none: 'No task is open. Start one with "Belay: New task", or find an old one with "Belay: Search tasks".',
  fits: ({ node }: Board.Entry) => node.row.record.status !== "completed"
}

export const openTask = command("belay.openTask", (given) => Effect.flatMap(TaskChoice.of(given, question), open))

const withParent = {
  title: "Open the parent of which task?",
  none: "No task is a subtask.",
  fits: TaskChoice.allows("openParent")
}

export const openParent = command("belay.openParent", (given) =>
  Effect.flatMap(TaskChoice.of(given, withParent), ({ parent }) => (parent === undefined ? Effect.void : open(parent)))
)
