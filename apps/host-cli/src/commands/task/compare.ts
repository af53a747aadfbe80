/** `belay task compare`. */
import { color, cwd, record, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const taskCompare = command({
  path: "task compare",
  args: "ID",
  about: "What has changed in the workspace since a message of a task",
  arity: [1, 1],
  flags: [{ name: "to", value: "MESSAGE", about: "the message, counted from 0" }, record, cwd, color, verbose],
  examples: ["belay task compare last --to 4"],
  load: () => import("../../handlers/task/compare.ts")
})
