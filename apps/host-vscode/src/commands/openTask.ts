/**
 * Belay: Open task, Open in editor, Open parent. The conversation as a read-only document; the focus stays where it is for
 * a click.
 */
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import * as Board from "../Board.ts"
import { command, perform } from "../Bridge.ts"
import { ShownTask } from "../ShownTask.ts"
import * as TaskChoice from "../TaskChoice.ts"
import * as TranscriptProvider from "../TranscriptProvider.ts"

/** `message`: where to look, by its place in the conversation. */
const open = (entry: Board.Entry, { message, stays = false }: { message?: unknown; stays?: boolean } = {}) =>
  Effect.gen(function* () {
    const shown = yield* ShownTask
    shown.show(Board.idOf(entry))
    const address = TranscriptProvider.addressOf(entry)
    const document = yield* perform(() => vscode.workspace.openTextDocument(address))
    const line =
      typeof message === "number" ? (yield* TranscriptProvider.Transcripts).lineOf(address, message) : undefined
    const options: vscode.TextDocumentShowOptions = { preview: !stays, preserveFocus: !stays }
    const selection = line === undefined ? {} : { selection: new vscode.Range(line, 0, line, 0) }
    yield* perform(() => vscode.window.showTextDocument(document, { ...options, ...selection }))
  })

const question = {
  title: "Open which task?",
  none: 'No task is open. Start one with "Belay: New task", or find an old one with "Belay: Search tasks".',
  fits: ({ node }: Board.Entry) => node.row.record.status !== "completed"
}

export const openTask = command("belay.openTask", (given, message) =>
  Effect.flatMap(TaskChoice.of(given, question), (entry) => open(entry, { message }))
)

/** In a tab that stays, with the focus. */
export const openTaskInEditor = command("belay.openTaskInEditor", (given, message) =>
  Effect.flatMap(TaskChoice.of(given, question), (entry) => open(entry, { message, stays: true }))
)

const withParent = {
  title: "Open the parent of which task?",
  none: "No task is a subtask.",
  fits: TaskChoice.allows("openParent")
}

export const openParent = command("belay.openParent", (given) =>
  Effect.flatMap(TaskChoice.of(given, withParent), ({ parent }) => (parent === undefined ? Effect.void : open(parent)))
)
