/** The flags of all commands that look for lost tasks. */
import { color, type Flag, record, verbose } from "../../cli/Command.ts"

export const looking: ReadonlyArray<Flag> = [
  {
    name: "path",
    value: "DIR",
    many: true,
    about: "look here, and nowhere else: a history, a storage of an editor, or a home"
  },
  { name: "deep", about: "read every task whole, also where nothing speaks for damage" },
  record,
  color,
  verbose
]
