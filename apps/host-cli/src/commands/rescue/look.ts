/** `belay rescue`. */
import { command } from "../Declaration.ts"
import { looking } from "./flags.ts"

export const rescue = command({
  path: "rescue",
  args: "[AGENT...]",
  about:
    "Look for lost tasks of Cline, Roo, Zoo and Kilo Code, Claude Code, Codex, pi and opencode; nothing is written",
  arity: [0, 8],
  flags: [
    { name: "here", about: "only tasks of the current folder" },
    { name: "since", value: "90d", about: "only tasks that changed since then (m, h, d)" },
    { name: "all", about: "every damaged task, and places that hold nothing" },
    ...looking
  ],
  examples: ["belay rescue", "belay rescue roo zoo --since 30d", "belay rescue --path /mnt/old-disk/home/ann"],
  withoutData: true,
  load: () => import("../../handlers/rescue/look.ts")
})
