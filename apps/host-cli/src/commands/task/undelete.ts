/** `belay task undelete`. */
import { record, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const taskUndelete = command({
  path: "task undelete",
  args: "ID",
  about: "Take the deletion of a task back, within 30 days",
  arity: [1, 1],
  flags: [record, verbose],
  examples: ["belay task undelete 3f9c", "belay task undelete last"],
  load: () => import("../../handlers/task/undelete.ts")
})
