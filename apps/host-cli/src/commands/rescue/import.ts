/** `belay rescue import`. */
import { command } from "../Declaration.ts"
import { looking } from "./flags.ts"

export const rescueImport = command({
  path: "rescue import",
  args: "[REF...]",
  about: "Take tasks of other programs over repaired, with their subtasks (all that are damaged)",
  arity: [0, 1000],
  flags: looking,
  examples: ["belay rescue import", "belay rescue import roo:00af"],
  load: () => import("../../handlers/rescue/import.ts")
})
