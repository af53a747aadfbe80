/** `belay history export`. */
import { color, record, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const historyExport = command({
  path: "history export",
  args: "DIR",
  about: "Write all tasks as Zoo Code or Roo Code keep theirs; what is in the folder stays",
  arity: [1, 1],
  flags: [
    { name: "to", value: "zoo|roo", about: "the program that is to go on with them (zoo)" },
    record,
    color,
    verbose
  ],
  examples: ["belay history export ./for-zoo --to zoo"],
  load: () => import("../../handlers/history/export.ts")
})
