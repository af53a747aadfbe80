/** `belay mcp remove`. */
import { color, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const mcpRemove = command({
  path: "mcp remove",
  args: "NAME",
  about: "Remove an MCP server from your file",
  arity: [1, 1],
  flags: [color, verbose],
  examples: ["belay mcp remove files"],
  widens: true,
  load: () => import("../../handlers/mcp/remove.ts")
})
