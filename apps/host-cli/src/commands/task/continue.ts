/** `belay task continue`. */
import { running } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const taskContinue = command({
  path: "task continue",
  args: "ID text...",
  about: "Go on after a completed task, in a new one with its conversation",
  arity: [2, Infinity],
  flags: running,
  examples: ['belay task continue last "now the documentation"'],
  widens: true,
  load: () => import("../../handlers/task/continue.ts")
})
