/** The conversation as text: of the task of the row, else the shown one, else the one that is picked. */
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { command, perform } from "../../vscode/Bridge.ts"
import { ShownTask } from "../../tasks/ShownTask.ts"
import * as TaskChoice from "../../tasks/TaskChoice.ts"
import * as TranscriptProvider from "../../transcript/TranscriptProvider.ts"

export const openTranscriptAsText = command("belay.openTranscriptAsText", (given) =>
  Effect.gen(function* () {
    const shown = (yield* ShownTask).id()
    const none = 'There are no tasks yet. Start one with "Belay: New task".'
    const entry = yield* TaskChoice.of(given ?? shown, {
      title: "The conversation of which task?",
      none,
      fits: () => true
    })
    const document = yield* perform(() => vscode.workspace.openTextDocument(TranscriptProvider.addressOf(entry)))
    yield* perform(() => vscode.window.showTextDocument(document, { preview: false }))
  })
)
