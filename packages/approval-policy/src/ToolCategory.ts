/**
 * What a tool can do, as far as an approval is concerned; every tool of the catalogue has exactly one category.
 *
 * `internal` is for tools that change nothing but the task's own record, such as the checklist; `custom` for a tool of the
 * host that does what no other category says: its own name decides.
 */
import * as Schema from "effect/Schema"

/** Decodes the category of a tool. */
export const ToolCategory = Schema.Literals([
  "read",
  "edit",
  "command",
  "mcp",
  "delegate",
  "fetch",
  "modeSwitch",
  "internal",
  "custom"
])
export type ToolCategory = typeof ToolCategory.Type

const conversation: ReadonlySet<string> = new Set(["ask_followup_question", "attempt_completion", "plan_mode_respond"])

/**
 * True for the internal tools that only talk to the user or to the record. No setting makes them ask, `enabled: false`
 * included: they touch nothing that an approval protects, the user sees what they say anyway, and an approval of a
 * question would be a question about a question. Plan mode still refuses the completion.
 */
export const isConversation = (tool: string, category: ToolCategory): boolean =>
  category === "internal" && conversation.has(tool)
