/** `belay task interrupt`. */
import { color, cwd, record, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const taskInterrupt = command({
  path: "task interrupt",
  args: "ID",
  about: "Stop a task; it stays resumable",
  arity: [1, 1],
  flags: [
    { name: "take-over", about: "take it from a process that is gone or does not answer" },
    record,
    cwd,
    color,
    verbose
  ],
  examples: ["belay task interrupt last"],
  load: () => import("../../handlers/task/interrupt.ts")
})
