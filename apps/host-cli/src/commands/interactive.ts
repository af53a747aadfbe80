/** `belay` without a command, in a terminal. */
import { beginning, running } from "../cli/Command.ts"
import { command } from "./Declaration.ts"

/** What only a run without a person, or in another place, has. */
const ofRuns = new Set(["worktree", "detach", "print", "output", "input", "timeout", "json-schema"])

/** The words that name it are none: it is found by `Opening`, and not among the commands. */
export const interactive = command({
  path: "",
  args: "[prompt...]",
  about: "Work with Belay in this terminal",
  arity: [0, Infinity],
  flags: [...beginning, ...running].filter(({ name }) => !ofRuns.has(name)),
  examples: ["belay", 'belay "fix the failing test"', "belay --continue"],
  // Whoever is at it answers what is asked.
  widens: true,
  load: () => import("../handlers/interactive.ts")
})
