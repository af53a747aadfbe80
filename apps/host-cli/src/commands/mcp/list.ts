/** `belay mcp list`. */
import { color, cwd, plain, record, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const mcpList = command({
  path: "mcp list",
  args: "",
  about: "Your MCP servers and those of this folder; none is started",
  arity: [0, 0],
  flags: [record, cwd, plain, color, verbose],
  examples: ["belay mcp list"],
  load: () => import("../../handlers/mcp/list.ts")
})
