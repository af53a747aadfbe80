import type { Mode } from "@belay/modes"
import { Arbitrary, Schema } from "effect"

const categories: ReadonlyArray<Mode.Category> = [
  "read",
  "edit",
  "command",
  "mcp",
  "delegate",
  "fetch",
  "modeSwitch",
  "internal"
]

export const named: ReadonlyArray<string> = [
  "plan_mode_respond",
  "save_plan",
  "hand_over",
  "new_task",
  "attempt_completion",
  "ask_followup_question",
  "load_skill",
  "list_tasks",
  "wait_for_tasks",
  "read_command_output",
  "stop_command",
  "read_file",
  "write_to_file",
  "execute_command",
  "constructor",
  "__proto__"
]

/** Any tool, also one that takes the name of ours. */
export const tool: Arbitrary.Arbitrary<Mode.Tool> = Arbitrary.map(
  Arbitrary.all({
    name: Arbitrary.schema(Schema.String),
    pick: Arbitrary.schema(Schema.Natural),
    place: Arbitrary.schema(Schema.Natural),
    readOnly: Arbitrary.schema(Schema.Boolean),
    marked: Arbitrary.schema(Schema.Boolean)
  }),
  ({ marked, name, pick, place, readOnly }) => ({
    name: named[pick % (named.length + 3)] ?? name,
    category: categories[place % categories.length] ?? "edit",
    readOnly,
    readOnlyMarkedByUser: marked
  })
)
