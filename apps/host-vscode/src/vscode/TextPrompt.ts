/** What a person writes in a line: it keeps the focus, Escape answers nothing, and what was typed is there again. */
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { Dismissed, scoped } from "./Bridge.ts"

const drafts = new Map<string, string>()

export interface Question {
  /** What the text is for; the same one finds its draft. */
  readonly key: string
  readonly title: string
  readonly prompt: string
}

/** A text that is not blank. Errors: `Dismissed`. Its draft is kept until `taken`. */
export const write = ({ key, prompt, title }: Question): Effect.Effect<string, Dismissed> =>
  Effect.gen(function* () {
    const box = yield* scoped(() => vscode.window.createInputBox())
    box.title = title
    box.prompt = prompt
    box.ignoreFocusOut = true
    box.value = drafts.get(key) ?? ""
    return yield* Effect.callback<string, Dismissed>((resume) => {
      box.onDidChangeValue((text) => drafts.set(key, text))
      box.onDidAccept(() => {
        if (box.value.trim() !== "") resume(Effect.succeed(box.value))
      })
      box.onDidHide(() => resume(Effect.fail(new Dismissed())))
      box.show()
    })
  }).pipe(Effect.scoped)

/** The text has arrived. */
export const taken = (key: string): void => void drafts.delete(key)
