/** `belay worktree list`. */
import { color, cwd, plain, record, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const worktreeList = command({
  path: "worktree list",
  args: "",
  about: "Folders and branches of tasks that work apart (run --worktree)",
  arity: [0, 0],
  flags: [record, cwd, color, plain, verbose],
  examples: ["belay worktree list"],
  load: () => import("../../handlers/worktree/list.ts")
})
