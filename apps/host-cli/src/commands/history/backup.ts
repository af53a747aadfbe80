/** `belay history backup`. */
import { color, record, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const historyBackup = command({
  path: "history backup",
  args: "FILE",
  about: "Write the whole history into one new file, while others go on with it",
  arity: [1, 1],
  flags: [record, color, verbose],
  examples: ["belay history backup ~/belay-monday.db"],
  load: () => import("../../handlers/history/backup.ts")
})
