/** Belay: New task in a worktree. As a new task, on a branch and in a folder of its own beside the repository's. */
import { command } from "../../vscode/Bridge.ts"
import { begin } from "../../tasks/NewTask.ts"

/** Gives the task's id. An argument is the message. */
export const newTaskInWorktree = command("belay.newTaskInWorktree", (given) =>
  begin({ apart: true, ...(typeof given === "string" ? { given } : {}) })
)
