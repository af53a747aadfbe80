/** `belay hooks list`. */
import { color, cwd, plain, record, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const hooksList = command({
  path: "hooks list",
  args: "",
  about: "Your hooks and those of this folder; none is run",
  arity: [0, 0],
  flags: [record, cwd, plain, color, verbose],
  examples: ["belay hooks list"],
  load: () => import("../../handlers/hooks/list.ts")
})
