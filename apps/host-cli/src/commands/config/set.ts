/** `belay config set`. */
import { color, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const configSet = command({
  path: "config set",
  args: "NAME VALUE",
  about: "Change one of your settings; null takes it out",
  arity: [2, 2],
  flags: [color, verbose],
  examples: ["belay config set budget.maxCostUsd 5", `belay config set approvals.commands.allow '["npm test"]'`],
  widens: true,
  load: () => import("../../handlers/config/set.ts")
})
