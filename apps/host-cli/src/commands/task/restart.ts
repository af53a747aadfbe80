/** `belay task restart`. */
import { color, cwd, record, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const taskRestart = command({
  path: "task restart",
  formerly: "task redelegate",
  args: "CHILD [message...]",
  about: "Replace a stopped subtask by a fresh one, with the same or other instructions",
  arity: [1, Infinity],
  flags: [record, cwd, color, verbose],
  examples: ["belay task restart 3f9c", 'belay task restart 3f9c "only the parser"'],
  widens: true,
  load: () => import("../../handlers/task/restart.ts")
})
