/** `belay task show`. */
import { color, cwd, plain, record, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const taskShow = command({
  path: "task show",
  args: "ID",
  about: "One task: record, asks, calls, checklist",
  arity: [1, 1],
  flags: [
    { name: "messages", about: "with the conversation as stored" },
    { name: "context", about: "with what the model would be sent now" },
    record,
    cwd,
    color,
    plain,
    verbose
  ],
  examples: ["belay task show last", "belay task show 3f9c --messages --output json"],
  load: () => import("../../handlers/task/show.ts")
})
