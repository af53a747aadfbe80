/** `belay task redelegate`. */
import { color, cwd, record, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const taskRedelegate = command({
  path: "task redelegate",
  args: "CHILD [message...]",
  about: "Start a stopped subtask over, with the same or other instructions",
  arity: [1, Infinity],
  flags: [record, cwd, color, verbose],
  examples: ["belay task redelegate 3f9c", 'belay task redelegate 3f9c "only the parser"'],
  widens: true,
  load: () => import("../../handlers/task/redelegate.ts")
})
