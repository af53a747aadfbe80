/** `belay task rename`. */
import { color, cwd, record, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const taskRename = command({
  path: "task rename",
  args: "ID TITLE",
  about: "Give a task another title",
  arity: [2, Infinity],
  flags: [record, cwd, color, verbose],
  examples: ['belay task rename last "Release 2.0"'],
  load: () => import("../../handlers/task/rename.ts")
})
