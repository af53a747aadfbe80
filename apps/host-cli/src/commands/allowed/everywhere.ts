/** `belay allowed everywhere`. */
import { color, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const allowedEverywhere = command({
  path: "allowed everywhere",
  args: "COMMAND",
  about: "Let an exact command of your settings, from an earlier version, hold in every folder",
  arity: [1, 1],
  flags: [color, verbose],
  examples: ['belay allowed everywhere "npm test"'],
  widens: true,
  load: () => import("../../handlers/allowed/everywhere.ts")
})
