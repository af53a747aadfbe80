/** `belay reset`. */
import { verbose } from "../cli/Command.ts"
import { command } from "./Declaration.ts"

export const reset = command({
  path: "reset",
  args: "",
  about: "Makes a terminal usable again that a killed program has left in a bad state",
  arity: [0, 0],
  flags: [verbose],
  examples: ["belay reset"],
  withoutData: true,
  load: () => import("../handlers/reset.ts")
})
