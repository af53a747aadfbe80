/** A new task from a message of the person, in the folder of a file, else of the active editor. */
import { TaskHistory } from "@belay/history-store"
import type { NewTask } from "@belay/task-engine"
import { Copy, Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import * as vscode from "vscode"
import { chosen, Refusal } from "../vscode/Bridge.ts"
import { TaskRunner } from "./TaskRunner.ts"
import type { Mode } from "./Mode.ts"
import * as NextTaskMode from "./NextTaskMode.ts"
import { Key } from "../settings/Key.ts"
import * as WorkspaceFolders from "./WorkspaceFolders.ts"
import { ShownTask } from "./ShownTask.ts"
import * as FilePath from "../vscode/FilePath.ts"

const ask = (home: vscode.WorkspaceFolder, value: string, mode: Mode) =>
  chosen((token) =>
    vscode.window.showInputBox(
      {
        title: mode === "plan" ? `New task in ${home.name}, in Plan` : `New task in ${home.name}`,
        prompt: vscode.workspace.isTrusted
          ? "What would you like to do?"
          : `What would you like to do? ${Copy.untrusted}`,
        value,
        valueSelection: [value.length, value.length],
        ignoreFocusOut: true,
        validateInput: (text) => (text.trim() === "" ? { message: "Say what to do.", severity: 1 } : undefined)
      },
      token
    )
  )

export interface Beginning {
  /** The message; without it the person is asked. */
  readonly given?: string
  readonly attached?: NewTask["attached"]
  /** How the message begins. */
  readonly draft?: string
  readonly near?: vscode.Uri
  /** On a branch and in a folder of its own. */
  readonly apart?: boolean
  /** False where it is shown already. */
  readonly shows?: boolean
}

/** Starts a task in the folder of a file, else of the active editor. */
export const begin = (options: Beginning) =>
  Effect.gen(function* () {
    const home = yield* WorkspaceFolders.home(options.near)
    // Before anything is typed.
    const { notice } = yield* TaskHistory
    if (notice !== null) return yield* new Refusal({ line: notice })
    const mode = yield* NextTaskMode.get
    yield* (yield* Key).access(mode)
    const prompt = (options.given ?? (yield* ask(home, options.draft ?? "", mode))).trim()
    if (prompt === "") return yield* new Refusal({ line: "There is no message. Say what to do." })
    const folder = FilePath.of(home.uri)
    if (!existsSync(folder)) {
      const actions = [{ title: "Open folder", command: "vscode.openFolder" }]
      return yield* new Refusal({ line: `The folder ${Words.printable(folder)} is gone. Open another one.`, actions })
    }
    const workspace = options.apart === true ? yield* WorkspaceFolders.worktree(folder, prompt) : folder
    const id = yield* (yield* TaskRunner).start({
      prompt,
      workspace,
      mode,
      ...(options.attached && { attached: options.attached })
    })
    // What was chosen for this one holds for no other.
    yield* NextTaskMode.choose("act")
    const shown = yield* ShownTask
    if (options.shows !== false) shown.show(id)
    return id
  })
