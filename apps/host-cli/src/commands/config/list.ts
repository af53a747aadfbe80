/** `belay config list`. */
import { color, record, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const configList = command({
  path: "config list",
  args: "",
  about: "Your settings",
  arity: [0, 0],
  flags: [{ name: "all", about: "also the names of all others" }, record, color, verbose],
  examples: ["belay config list"],
  load: () => import("../../handlers/config/list.ts")
})
