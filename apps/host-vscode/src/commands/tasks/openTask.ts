/**
 * Belay: Open task, Open parent: in the Task view; the focus stays where it is. Belay: Open in editor, Open conversation
 * in editor: as a read-only document, and as a view of its own.
 */
import { TaskStore, TaskText } from "@belay/interaction/tasks"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { Bridge, command, perform } from "../../vscode/Bridge.ts"
import { ShownTask } from "../../tasks/ShownTask.ts"
import * as TaskChoice from "../../tasks/TaskChoice.ts"
import * as TranscriptProvider from "../../transcript/TranscriptProvider.ts"

/** `message`: where to look, by its place in the conversation. */
const asText = (entry: TaskStore.Entry, message: unknown) =>
  Effect.gen(function* () {
    const address = TranscriptProvider.addressOf(entry)
    const document = yield* perform(() => vscode.workspace.openTextDocument(address))
    const line =
      typeof message === "number" ? (yield* TranscriptProvider.Transcripts).lineOf(address, message) : undefined
    const options: vscode.TextDocumentShowOptions = { preview: false }
    const selection = line === undefined ? {} : { selection: new vscode.Range(line, 0, line, 0) }
    yield* perform(() => vscode.window.showTextDocument(document, { ...options, ...selection }))
  })

const inView = (entry: TaskStore.Entry) =>
  Effect.gen(function* () {
    const shown = yield* ShownTask
    shown.show(TaskStore.idOf(entry))
    yield* perform(() => vscode.commands.executeCommand("belay.task.focus", { preserveFocus: true }))
  })

const question = {
  title: "Open which task?",
  none: 'There are no tasks yet. Start one with "Belay: New task".',
  fits: () => true
}

/** What was found in a message is shown where it stands. */
export const openTask = command("belay.openTask", (given, message) =>
  Effect.gen(function* () {
    const entry = yield* TaskChoice.of(given, question)
    yield* inView(entry)
    const { surfaces } = yield* Bridge
    if (typeof message === "number") surfaces.reveal?.(TaskStore.idOf(entry), message)
  })
)

/** In a tab that stays, with the focus. */
export const openTaskInEditor = command("belay.openTaskInEditor", (given, message) =>
  Effect.flatMap(TaskChoice.of(given, question), (entry) => asText(entry, message))
)

/** The shown task when none is named. */
export const openConversationInEditor = command("belay.openConversationInEditor", (given) =>
  Effect.gen(function* () {
    const entry = yield* TaskChoice.of(given ?? (yield* ShownTask).id(), question)
    const { surfaces } = yield* Bridge
    surfaces.inEditor?.(TaskStore.idOf(entry), TaskText.titleOf(entry))
  })
)

const withParent = {
  title: "Open the parent of which task?",
  none: "No task is a subtask.",
  fits: TaskChoice.allows("openParent")
}

export const openParent = command("belay.openParent", (given) =>
  Effect.flatMap(TaskChoice.of(given, withParent), ({ parent }) =>
    parent === undefined ? Effect.void : inView(parent)
  )
)
