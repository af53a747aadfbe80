/** Restore: files, the conversation or both go back to before a turn; Undo restore takes that back. */
import type * as Restoring from "@belay/task-engine/unstable/restoring"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { chosen, command } from "../../vscode/Bridge.ts"
import * as RestoreCheckpoint from "../../checkpoints/RestoreCheckpoint.ts"
import { ShownTask } from "../../tasks/ShownTask.ts"
import * as TaskChoice from "../../tasks/TaskChoice.ts"
import * as TurnPicker from "../../checkpoints/TurnPicker.ts"

const whats: ReadonlyArray<vscode.QuickPickItem & { readonly what: Restoring.What }> = [
  { label: "Files and conversation", what: "both" },
  { label: "Files", description: "the conversation goes on, and the model is told", what: "files" },
  { label: "Conversation", description: "files stay as they are", what: "conversation" }
]

export const restoreCheckpoint = command("belay.restoreCheckpoint", (given) =>
  Effect.gen(function* () {
    const question = "Restore which task?"
    const { entry, turn } = yield* TurnPicker.choose(given, question, "Restore to before which turn?")
    const title = `Restore to ${TurnPicker.timeOf(turn.before.at)}`
    const { what } = yield* chosen((token) =>
      vscode.window.showQuickPick([...whats], { title, placeHolder: "What goes back?" }, token)
    )
    yield* RestoreCheckpoint.restore({ entry, to: turn.to, what, at: turn.before.at })
  })
)

/** The shown task when none is named. */
export const undoRestore = command("belay.undoRestore", (given) =>
  Effect.gen(function* () {
    const question = { title: "Undo the restore of which task?", none: "There is no task.", fits: () => true }
    yield* RestoreCheckpoint.undo(yield* TaskChoice.of(given ?? (yield* ShownTask).id(), question))
  })
)
