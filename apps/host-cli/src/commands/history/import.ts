/** `belay history import`. */
import { color, record, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const historyImport = command({
  path: "history import",
  args: "[DIR]",
  about:
    "Take over the tasks of Cline, Roo Code, Zoo Code, Kilo Code, Claude Code, Codex, pi or opencode; their folder stays as it is",
  arity: [0, 1],
  flags: [
    { name: "from", value: "cline|roo|zoo|kilo|claude|codex|pi|opencode", about: "the program (told by the folder)" },
    { name: "again", about: "take tasks again that nobody has worked with since they were imported" },
    { name: "dry-run", about: "say what it would do, and write nothing" },
    record,
    color,
    verbose
  ],
  examples: ["belay history import ./rooveterinaryinc.roo-cline --dry-run"],
  load: () => import("../../handlers/history/import.ts")
})
