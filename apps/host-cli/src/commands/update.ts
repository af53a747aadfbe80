/** `belay update`. */
import { color, record, verbose } from "../cli/Command.ts"
import { command } from "./Declaration.ts"

export const update = command({
  path: "update",
  args: "",
  about: "How Belay was installed, and the command that makes it newer",
  arity: [0, 0],
  flags: [record, color, verbose],
  examples: ["belay update"],
  withoutData: true,
  load: () => import("../handlers/update.ts")
})
