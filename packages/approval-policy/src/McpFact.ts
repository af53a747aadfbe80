/**
 * What is known of the tool or resource of an MCP server that a call names.
 *
 * Taken from the user's own files and from what the user approved, never from what the server says of itself.
 */
import * as Schema from "effect/Schema"

/** Decodes the facts about a tool or resource of an MCP server. */
export const McpFact = Schema.Struct({
  server: Schema.String,
  /** The name of the tool, or the address of the resource. */
  name: Schema.String,
  /** It is a resource; a tool otherwise, whatever its name. */
  resource: Schema.optionalKey(Schema.Boolean),
  /** Hash of the definition of the server: a grant holds for no other one. */
  definition: Schema.optionalKey(Schema.String),
  /** The user has marked the tool as one that changes nothing. */
  readOnly: Schema.Boolean,
  /** Its description and parameters are those that were approved. */
  approved: Schema.Boolean,
  /** Why it cannot be called, as a sentence: there is no such server, or no such tool. */
  missing: Schema.optionalKey(Schema.String)
})
export type McpFact = typeof McpFact.Type
