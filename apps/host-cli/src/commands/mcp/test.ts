/** `belay mcp test`. */
import { color, cwd, plain, record, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const mcpTest = command({
  path: "mcp test",
  args: "NAME",
  about: "Start an MCP server and show what it offers",
  arity: [1, 1],
  flags: [
    { name: "approve", about: "approve its tools as they describe themselves now" },
    record,
    cwd,
    color,
    plain,
    verbose
  ],
  examples: ["belay mcp test files", "belay mcp test files --approve"],
  widens: ["approve"],
  load: () => import("../../handlers/mcp/test.ts")
})
