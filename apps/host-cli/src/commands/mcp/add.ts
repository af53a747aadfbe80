/** `belay mcp add`. */
import { color, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const mcpAdd = command({
  path: "mcp add",
  args: "NAME [URL | -- COMMAND ARGS...]",
  about: "Add an MCP server: a program, or a URL",
  arity: [1, Infinity],
  flags: [
    { name: "url", value: "URL", about: "a server that is reached by streamable HTTP" },
    { name: "env", value: "NAME=VALUE", many: true, about: "for the program; ${env:X} is X of the environment" },
    { name: "header", value: "'Name: value'", many: true, about: "for the URL; ${env:X} is X of the environment" },
    { name: "timeout", value: "N", about: "seconds that a call may take (120)" },
    color,
    verbose
  ],
  examples: [
    "belay mcp add files -- npx -y @modelcontextprotocol/server-filesystem .",
    "belay mcp add docs https://example.com/mcp --header 'X-Key: ${env:DOCS}'"
  ],
  widens: true,
  load: () => import("../../handlers/mcp/add.ts")
})
