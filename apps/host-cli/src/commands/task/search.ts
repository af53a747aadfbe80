/** `belay task search`. */
import { color, plain, record, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const taskSearch = command({
  path: "task search",
  args: "TEXT",
  about: "Find tasks by the words of titles, messages and file names",
  arity: [1, Infinity],
  flags: [{ name: "limit", value: "50", about: "how many" }, record, plain, color, verbose],
  examples: ['belay task search "flaky test"', "belay task search parser is:interrupted after:2026-10-01 in:api"],
  load: () => import("../../handlers/task/search.ts")
})
