/** `belay task restore`. */
import { color, cwd, record, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const taskRestore = command({
  path: "task restore",
  args: "ID",
  about: "Take files and conversation of a stopped task back to a message",
  arity: [1, 1],
  flags: [
    { name: "to", value: "MESSAGE", about: "the last message that stays, counted from 0" },
    { name: "only", value: "files|conversation", about: "only the files, or only the conversation" },
    { name: "undo", about: "take the last restore back instead" },
    record,
    cwd,
    color,
    verbose
  ],
  examples: ["belay task restore last --to 4", "belay task restore 3f9c --undo"],
  load: () => import("../../handlers/task/restore.ts")
})
