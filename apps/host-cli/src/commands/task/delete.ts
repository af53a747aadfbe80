/** `belay task delete`. */
import { color, cwd, record, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const taskDelete = command({
  path: "task delete",
  args: "ID",
  about: "Delete a task that does not run; for 30 days it can be taken back",
  arity: [1, 1],
  flags: [
    { name: "children", value: "delete|keep", about: "what happens to its subtasks" },
    { name: "forever", about: "erase it at once, or what was deleted before" },
    { name: "yes", about: "without asking" },
    record,
    cwd,
    color,
    verbose
  ],
  examples: ["belay task delete 3f9c --children delete", "belay task delete 3f9c --forever"],
  load: () => import("../../handlers/task/delete.ts")
})
