/** `belay history doctor`. */
import { color, record, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const historyDoctor = command({
  path: "history doctor",
  args: "",
  about: "Check every record of the history, and repair what dead processes left",
  arity: [0, 0],
  flags: [{ name: "repair", about: "repair it, after a copy of the history was made" }, record, color, verbose],
  examples: ["belay history doctor", "belay history doctor --repair"],
  load: () => import("../../handlers/history/doctor.ts")
})
