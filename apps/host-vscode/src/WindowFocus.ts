/** What was meant for another program: the dead time begins, and begins anew when this window gets the focus. */
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { scoped } from "./Bridge.ts"
import * as DeadTime from "./DeadTime.ts"

export const deadTime = Effect.gen(function* () {
  const dead = yield* DeadTime.begin
  yield* scoped(() => vscode.window.onDidChangeWindowState(({ focused }) => focused && dead.restart()))
  return dead
})
