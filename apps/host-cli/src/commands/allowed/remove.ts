/** `belay allowed remove`. */
import { color, cwd, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const allowedRemove = command({
  path: "allowed remove",
  args: "N|TEXT",
  about: "Take back what you allowed always: by its number in the list, or by its text",
  arity: [1, 1],
  flags: [{ name: "all", about: "of any folder; numbers are those of the list with --all" }, cwd, color, verbose],
  examples: ["belay allowed remove 2", 'belay allowed remove "npm test"'],
  load: () => import("../../handlers/allowed/remove.ts")
})
