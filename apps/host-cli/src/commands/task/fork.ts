/** `belay task fork`. */
import { running } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const taskFork = command({
  path: "task fork",
  args: "ID [text...]",
  about: "A new task from a message of another",
  arity: [1, Infinity],
  flags: [{ name: "to", value: "MESSAGE", about: "the last message it has, counted from 0" }, ...running],
  examples: ['belay task fork last --to 4 "try it without a cache"'],
  widens: true,
  load: () => import("../../handlers/task/fork.ts")
})
