/** `belay run`. */
import { beginning, running, widening } from "../cli/Command.ts"
import { command } from "./Declaration.ts"

export const run = command({
  path: "run",
  args: "[prompt...]",
  about: "Run one task; stdin goes with the prompt, or is the prompt",
  arity: [0, Infinity],
  flags: [...beginning, ...running],
  examples: [
    'belay run "fix the failing test" --approvals edits',
    'git diff | belay run "is this right?" --mode plan --output json'
  ],
  widens: widening,
  load: () => import("../handlers/run.ts")
})
