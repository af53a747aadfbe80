/** The MCP server that a call names, by the arguments of `use_mcp_tool` and `access_mcp_resource`, which no other tool has. */

type Arguments = Readonly<Record<string, unknown>>

/** The fields of arguments; none of what is no object. */
export const fieldsOf = (args: unknown): Arguments =>
  typeof args === "object" && args !== null ? (args as Arguments) : {}

/** As the arguments name it, also by the names of other agents that are taken for ours; `undefined` for other calls. */
export const of = (args: unknown): string | undefined => {
  const fields = fieldsOf(args)
  const { server = fields["server_name"], tool = fields["tool_name"], uri } = fields
  return typeof server === "string" && (typeof tool === "string" || typeof uri === "string") ? server : undefined
}
