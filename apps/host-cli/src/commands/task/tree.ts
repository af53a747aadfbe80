/** `belay task tree`. */
import { color, cwd, plain, record, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const taskTree = command({
  path: "task tree",
  args: "ID",
  about: "A task and its subtasks",
  arity: [1, 1],
  flags: [record, cwd, color, plain, verbose],
  examples: ["belay task tree last"],
  load: () => import("../../handlers/task/tree.ts")
})
