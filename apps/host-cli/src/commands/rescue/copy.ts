/** `belay rescue copy`. */
import { command } from "../Declaration.ts"
import { looking } from "./flags.ts"

export const rescueCopy = command({
  path: "rescue copy",
  args: "DIR [REF...]",
  about: "Copy tasks repaired into a new folder, as their program keeps them (all that are damaged)",
  arity: [1, 1000],
  flags: looking,
  examples: ["belay rescue copy ~/rescued", "belay rescue copy ~/rescued roo:00af"],
  withoutData: true,
  load: () => import("../../handlers/rescue/copy.ts")
})
