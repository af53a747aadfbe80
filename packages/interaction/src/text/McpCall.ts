/**
 * A call of an MCP server as people see it, everywhere the same: the server, its tool or resource, and the very arguments
 * that the server gets.
 */
import { printable, printableJson } from "@belay/message-state"
import { McpServer } from "@belay/task-engine/text"

/** Holds the parts of a call to an MCP server that a person is shown. */
export interface McpCall {
  readonly server: string
  /** The tool; the address of a resource. */
  readonly name: string
  /** What the tool gets, as JSON of several lines; absent for a resource. */
  readonly args?: string
}

/** By the arguments of `use_mcp_tool` and `access_mcp_resource`, which no other tool has; nothing for other calls. */
export const of = (args: unknown): McpCall | undefined => {
  const server = McpServer.of(args)
  if (server === undefined) return undefined
  const fields = McpServer.fieldsOf(args)
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
