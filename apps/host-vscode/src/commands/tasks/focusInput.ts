/** Go to the composer: shows the Task view, with the selected task where a key of the tree says so, and moves the focus. */
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { Bridge, command, perform } from "../../vscode/Bridge.ts"
import * as Selection from "../../tasks/Selection.ts"
import { ShownTask } from "../../tasks/ShownTask.ts"

export const focusInput = command("belay.focusInput", (given) =>
  Effect.gen(function* () {
    const { surfaces } = yield* Bridge
    if (given === Selection.argument) {
      const task = yield* Selection.task
      if (task === null) return
      const shown = yield* ShownTask
      shown.show(task)
    }
    yield* perform(() => vscode.commands.executeCommand("belay.task.focus"))
    surfaces.focus?.("composer")
  })
)
