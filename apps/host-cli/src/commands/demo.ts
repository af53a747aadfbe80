/** `belay demo`. */
import { color, verbose } from "../cli/Command.ts"
import { command } from "./Declaration.ts"

export const demo = command({
  path: "demo",
  args: "",
  about: "The whole system on a sample workspace; needs no key",
  arity: [0, 0],
  flags: [color, verbose],
  examples: ["belay demo"],
  withoutData: true,
  load: () => import("../handlers/demo.ts")
})
