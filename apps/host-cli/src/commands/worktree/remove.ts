/** `belay worktree remove`. */
import { color, cwd, record, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const worktreeRemove = command({
  path: "worktree remove",
  args: "NAME",
  about: "Remove a worktree and its branch",
  arity: [1, 1],
  flags: [{ name: "force", about: "with work that is not merged" }, record, cwd, color, verbose],
  examples: ["belay worktree remove fix-the-parser"],
  load: () => import("../../handlers/worktree/remove.ts")
})
