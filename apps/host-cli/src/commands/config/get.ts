/** `belay config get`. */
import { color, record, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const configGet = command({
  path: "config get",
  args: "NAME",
  about: "One of your settings",
  arity: [1, 1],
  flags: [record, color, verbose],
  examples: ["belay config get model.act"],
  load: () => import("../../handlers/config/get.ts")
})
