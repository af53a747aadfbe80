/** Go to the composer: shows the Task view and moves the focus into it. */
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { Bridge, command, perform } from "../Bridge.ts"

export const focusInput = command("belay.focusInput", () =>
  Effect.gen(function* () {
    const { surfaces } = yield* Bridge
    yield* perform(() => vscode.commands.executeCommand("belay.task.focus"))
    surfaces.focus?.("composer")
  })
)
