/** `belay worktree merge`. */
import { color, cwd, record, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const worktreeMerge = command({
  path: "worktree merge",
  args: "NAME",
  about: "Bring the work of a worktree into the branch of the main folder",
  arity: [1, 1],
  flags: [record, cwd, color, verbose],
  examples: ["belay worktree merge fix-the-parser"],
  load: () => import("../../handlers/worktree/merge.ts")
})
