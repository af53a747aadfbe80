/** `belay mcp serve`. */
import { approvals, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const mcpServe = command({
  path: "mcp serve",
  args: "",
  about: "Durable tasks for Claude Code, Codex, Cline and every other MCP client",
  arity: [0, 0],
  flags: [
    { name: "root", value: "DIR", many: true, about: "where its tasks may work (the folder of the client)" },
    approvals,
    {
      name: "unattended",
      value: "deny|wait",
      about: "what becomes of an approval that nobody of the client gives (deny)"
    },
    { name: "max-requests", value: "N", about: "the most that a task may ask the model (200)" },
    { name: "max-cost-usd", value: "N", about: "the most that a task may cost (2)" },
    { name: "tools", value: "a,b", about: "only these tools (all)" },
    verbose
  ],
  examples: ["claude mcp add --scope user belay -- belay mcp serve", "codex mcp add belay -- belay mcp serve"],
  widens: true,
  load: () => import("../../handlers/mcp/serve.ts")
})
