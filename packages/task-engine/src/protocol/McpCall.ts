/**
 * A call of an MCP server as people see it, everywhere the same: the server, its tool or resource, and the very arguments
 * that the server gets.
 */
import { printable, printableJson } from "@belay/message-state"

export interface McpCall {
  readonly server: string
  /** The tool; the address of a resource. */
  readonly name: string
  /** What the tool gets, as JSON of several lines; absent for a resource. */
  readonly args?: string
}

type Arguments = Readonly<Record<string, unknown>>

const fieldsOf = (args: unknown): Arguments => (typeof args === "object" && args !== null ? (args as Arguments) : {})

/** The server that the arguments name, as they do; also by the names of other agents that are taken for ours. */
export const serverIn = (args: unknown): string | undefined => {
  const fields = fieldsOf(args)
  const { server = fields["server_name"], tool = fields["tool_name"], uri } = fields
  return typeof server === "string" && (typeof tool === "string" || typeof uri === "string") ? server : undefined
}

/** By the arguments of `use_mcp_tool` and `access_mcp_resource`, which no other tool has; nothing for other calls. */
export const of = (args: unknown): McpCall | undefined => {
  const server = serverIn(args)
  if (server === undefined) return undefined
  const fields = fieldsOf(args)
  const { arguments: given = {}, tool = fields["tool_name"], uri } = fields
  const shown = { server: printable(server) }
  if (typeof tool === "string") {
    return { ...shown, name: printable(tool), args: printableJson(JSON.stringify(given, undefined, 2)) }
  }
  return typeof uri === "string" ? { ...shown, name: printable(uri) } : undefined
}

/** `notes › jot`. */
export const title = ({ name, server }: McpCall): string => `${server} › ${name}`

/** The same with the arguments in one line. */
export const line = (call: McpCall): string =>
  call.args === undefined ? title(call) : `${title(call)} ${call.args.replaceAll(/\n\s*/g, " ")}`
