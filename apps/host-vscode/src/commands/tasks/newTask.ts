/** Belay: New task. Its first message, then it runs in the folder of the active editor, else one that is chosen. */
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { ShownTask } from "../../tasks/ShownTask.ts"
import { Bridge, command, perform } from "../../vscode/Bridge.ts"
import { begin } from "../../tasks/NewTask.ts"

/** An editor with nothing but the composer. */
export const newTaskInEditor = command("belay.newTaskInEditor", () =>
  Effect.map(Bridge, ({ surfaces }) => surfaces.inEditor?.(null, "New task"))
)

/** An empty composer in the side bar; nothing is asked for, and nothing else is settled. */
export const newConversation = command("belay.newConversation", () =>
  Effect.gen(function* () {
    const shown = yield* ShownTask
    shown.show(null)
    yield* perform(() => vscode.commands.executeCommand("belay.task.focus"))
    const { surfaces } = yield* Bridge
    surfaces.focus?.("composer")
  })
)

/** As a new task, on a branch and in a folder of its own beside the repository's. */
export const newTaskInWorktree = command("belay.newTaskInWorktree", (given) =>
  begin({ apart: true, ...(typeof given === "string" ? { given } : {}) })
)

/** Gives the task's id. An argument is the message. */
export const newTask = command("belay.newTask", (given) => begin(typeof given === "string" ? { given } : {}))
