/** `belay task send`. */
import { color, cwd, record, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const taskSend = command({
  path: "task send",
  args: "ID TEXT",
  about: "Say something to a task, wherever it runs",
  arity: [2, Infinity],
  flags: [record, cwd, color, verbose],
  examples: ['belay task send last "leave the tests alone"'],
  widens: true,
  load: () => import("../../handlers/task/send.ts")
})
