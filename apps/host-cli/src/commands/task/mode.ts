/** `belay task mode`. */
import { color, cwd, record, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const taskMode = command({
  path: "task mode",
  args: "ID plan|act",
  about: "Switch a task; act answers a plan that waits",
  arity: [2, 2],
  flags: [{ name: "text", value: "T", about: "what the task is to know with it" }, record, cwd, color, verbose],
  examples: ["belay task mode last act"],
  widens: true,
  load: () => import("../../handlers/task/mode.ts")
})
