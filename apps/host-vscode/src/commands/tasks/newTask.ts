/** Belay: New task. Its first message, then it runs in the folder of the active editor, else one that is chosen. */
import * as Effect from "effect/Effect"
import { Bridge, command } from "../../vscode/Bridge.ts"
import { begin } from "../../tasks/NewTask.ts"

/** An editor with nothing but the composer. */
export const newTaskInEditor = command("belay.newTaskInEditor", () =>
  Effect.map(Bridge, ({ surfaces }) => surfaces.inEditor?.(null, "New task"))
)

/** As a new task, on a branch and in a folder of its own beside the repository's. */
export const newTaskInWorktree = command("belay.newTaskInWorktree", (given) =>
  begin({ apart: true, ...(typeof given === "string" ? { given } : {}) })
)

/** Gives the task's id. An argument is the message. */
export const newTask = command("belay.newTask", (given) => begin(typeof given === "string" ? { given } : {}))
