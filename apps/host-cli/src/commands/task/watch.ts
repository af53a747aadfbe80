/** `belay task watch`. */
import { color, cwd, followed, plain, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const taskWatch = command({
  path: "task watch",
  args: "ID",
  about: "Follow a task, wherever it runs",
  arity: [1, 1],
  flags: [
    { name: "from", value: "SEQ", about: "show the stored events again from number SEQ on (1)" },
    followed,
    cwd,
    color,
    plain,
    verbose
  ],
  examples: ["belay task watch last", "belay task watch 3f9c --output stream-json --from 100"],
  load: () => import("../../handlers/task/watch.ts")
})
