/** `belay doctor`. */
import { color, cwd, record, verbose } from "../cli/Command.ts"
import { command } from "./Declaration.ts"

export const doctor = command({
  path: "doctor",
  args: "",
  about: "Look at all that a task needs here, and say what to do where something is missing",
  arity: [0, 0],
  flags: [record, cwd, color, verbose],
  examples: ["belay doctor", "belay doctor --output json"],
  load: () => import("../handlers/doctor.ts")
})
