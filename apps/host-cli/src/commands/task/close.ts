/** `belay task close`. */
import { color, cwd, record, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const taskClose = command({
  path: "task close",
  args: "ID [note...]",
  about: "End a stopped task; the note is its result",
  arity: [1, Infinity],
  flags: [
    { name: "outcome", value: "succeeded|failed|cancelled", about: "how it ended (cancelled)" },
    record,
    cwd,
    color,
    verbose
  ],
  examples: ['belay task close last --outcome succeeded "done by hand"'],
  widens: true,
  load: () => import("../../handlers/task/close.ts")
})
