/** `belay trust`. */
import { color, cwd, verbose } from "../cli/Command.ts"
import { command } from "./Declaration.ts"

export const trust = command({
  path: "trust",
  args: "",
  about: "Trust what this folder brings: settings, rules, skills, commands, agents, MCP servers",
  arity: [0, 0],
  flags: [
    { name: "yes", about: "trust it without asking; what changes later is not trusted" },
    { name: "full", about: "show all of each file, not how it begins" },
    { name: "remove", about: "trust it no longer" },
    cwd,
    color,
    verbose
  ],
  examples: ["belay trust", "belay trust --full", "belay trust --yes"],
  widens: true,
  load: () => import("../handlers/trust.ts")
})
