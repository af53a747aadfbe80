/** `belay models`. */
import { color, plain, record, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const models = command({
  path: "models",
  args: "",
  about: "What is known of models: limits, prices, short names",
  arity: [0, 0],
  flags: [record, plain, color, verbose],
  examples: ["belay models", "belay models --output json"],
  load: () => import("../../handlers/models/list.ts")
})
