/** `belay runner`. */
import { verbose } from "../cli/Command.ts"
import { command } from "./Declaration.ts"

export const runner = command({
  path: "runner",
  args: "",
  about: "Run what other programs have queued, and end without work; belay mcp serve starts it",
  arity: [0, 0],
  flags: [verbose],
  examples: ["belay runner"],
  load: () => import("../handlers/runner.ts")
})
