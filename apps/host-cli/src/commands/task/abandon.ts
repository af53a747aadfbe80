/** `belay task abandon`. */
import { color, cwd, record, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const taskAbandon = command({
  path: "task abandon",
  args: "CHILD",
  about: "Go on without a subtask; its parent is told",
  arity: [1, 1],
  flags: [{ name: "yes", about: "without asking" }, record, cwd, color, verbose],
  examples: ["belay task abandon 3f9c"],
  load: () => import("../../handlers/task/abandon.ts")
})
