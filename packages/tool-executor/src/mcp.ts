/**
 * The tools of MCP servers: programs on this machine and streamable HTTP.
 *
 * Their library is loaded when the first server is wanted. Requires Node.
 */
export * as GivenFile from "./mcp/GivenFile.ts"
export { McpServerError } from "./mcp/McpServerError.ts"
export * as McpTools from "./mcp/McpTools.ts"
export * as ServerPrompt from "./mcp/ServerPrompt.ts"
export * as ServerFile from "./mcp/ServerFile.ts"
export * as Servers from "./mcp/Servers.ts"
export * as TaskServers from "./mcp/TaskServers.ts"
export { McpServers } from "./mcp/Servers.ts"
export * as UserMarks from "./mcp/UserMarks.ts"
