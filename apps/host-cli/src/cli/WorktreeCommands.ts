/** The commands of `belay worktree`. */
import { type Command, color, command, cwd, plain, record, verbose } from "./Command.ts"

export const worktreeCommands: ReadonlyArray<Command> = [
  command(
    "worktree list",
    "",
    "Folders and branches of tasks that work apart (run --worktree)",
    [0, 0],
    [record, cwd, color, plain, verbose],
    ["belay worktree list"]
  ),
  command(
    "worktree merge",
    "NAME",
    "Bring the work of a worktree into the branch of the main folder",
    [1, 1],
    [record, cwd, color, verbose],
    ["belay worktree merge fix-the-parser"]
  ),
  command(
    "worktree remove",
    "NAME",
    "Remove a worktree and its branch",
    [1, 1],
    [{ name: "force", about: "with work that is not merged" }, record, cwd, color, verbose],
    ["belay worktree remove fix-the-parser"]
  )
]
