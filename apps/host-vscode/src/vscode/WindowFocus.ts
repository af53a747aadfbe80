/** What was meant for another program: the dead time begins, and begins anew when this window gets the focus. */
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { scoped } from "./Bridge.ts"
import * as InputGuard from "./InputGuard.ts"

export const deadTime = Effect.gen(function* () {
  const dead = yield* InputGuard.begin
  let had = vscode.window.state.focused
  yield* scoped(() =>
    // It is told as well that a person is at work in a window that has the focus.
    vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused && !had) dead.restart()
      had = focused
    })
  )
  return dead
})
