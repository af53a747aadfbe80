/** `belay version`. */
import { record, verbose } from "../cli/Command.ts"
import { command } from "./Declaration.ts"

export const version = command({
  path: "version",
  args: "",
  about: "The version, as --version and -v print it",
  arity: [0, 0],
  flags: [record, verbose],
  examples: ["belay version"],
  withoutData: true,
  load: () => import("../handlers/version.ts")
})
