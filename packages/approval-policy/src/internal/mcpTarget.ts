/**
 * What a call of an MCP server reaches: a tool or a resource, never told by the spelling of a name.
 *
 * Whoever makes the fact says which of the two it is. Without a fact the arguments say it, and those that name both, or
 * neither, reach nothing.
 */
import type { McpFact } from "../McpFact.ts"

export interface McpTarget {
  readonly kind: "tool" | "resource"
  readonly server: string
  /** The name of the tool, or the address of the resource. */
  readonly name: string
}

const text = (args: unknown, field: string): string | undefined => {
  if (typeof args !== "object" || args === null) return undefined
  const value: unknown = Object.getOwnPropertyDescriptor(args, field)?.value
  return typeof value === "string" && value !== "" && !value.includes("\0") ? value : undefined
}

export const targetOf = (args: unknown, fact: McpFact | undefined): McpTarget | undefined => {
  const [server, tool, uri] = [text(args, "server"), text(args, "tool"), text(args, "uri")]
  if (server === undefined) return undefined
  if (fact !== undefined) {
    const name = fact.resource === true ? uri : tool
    return name === undefined ? undefined : { kind: fact.resource === true ? "resource" : "tool", server, name }
  }
  if (tool !== undefined) return uri === undefined ? { kind: "tool", server, name: tool } : undefined
  return uri === undefined ? undefined : { kind: "resource", server, name: uri }
}
