/** `belay rescue show`. */
import { command } from "../Declaration.ts"
import { looking } from "./flags.ts"

export const rescueShow = command({
  path: "rescue show",
  args: "REF",
  about: "One task of another program: what is there of it, what is damaged, and its subtasks",
  arity: [1, 1],
  flags: looking,
  examples: ["belay rescue show roo:00af"],
  withoutData: true,
  load: () => import("../../handlers/rescue/show.ts")
})
