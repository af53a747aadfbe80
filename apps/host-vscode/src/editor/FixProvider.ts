/** `Fix with Belay` and `Add problem to task` beside the quick fixes of a problem, in folders that are trusted. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as vscode from "vscode"
import { scoped } from "../vscode/Bridge.ts"
import * as Material from "./Material.ts"

const kind = vscode.CodeActionKind.QuickFix.append("belay")

const action = (
  title: string,
  command: string,
  args: Array<unknown>,
  problem: vscode.Diagnostic
): vscode.CodeAction => {
  const result = new vscode.CodeAction(title, kind)
  result.diagnostics = [problem]
  result.command = { command, title, arguments: args }
  return result
}

export const layer = Layer.effectDiscard(
  Effect.asVoid(
    scoped(() =>
      vscode.languages.registerCodeActionsProvider(
        { scheme: "file" },
        {
          provideCodeActions: ({ uri }, _range, { diagnostics }) => {
            if (!vscode.workspace.isTrusted) return []
            return diagnostics.flatMap((problem) => {
              const text = Material.problem(uri, problem)
              return [
                action("Fix with Belay", "belay.fixProblem", [text, uri], problem),
                action("Add problem to task", "belay.addToTask", [text], problem)
              ]
            })
          }
        },
        { providedCodeActionKinds: [kind] }
      )
    )
  )
)
