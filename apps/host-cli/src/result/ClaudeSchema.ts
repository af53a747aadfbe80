/**
 * The contract of `--output claude-stream-json` as a schema: what programs read that read Claude Code's `stream-json`.
 *
 * Sources: https://code.claude.com/docs/en/agent-sdk/typescript,
 * https://github.com/anthropics/claude-agent-sdk-python
 */
import * as Schema from "effect/Schema"

// One by one: a whole namespace in hand would keep all of it in the bundle.
const List = Schema.Array
const Flag = Schema.Boolean
const Finite = Schema.Finite
const Literal = Schema.Literal
const Literals = Schema.Literals
const Natural = Schema.Natural
const NullOr = Schema.NullOr
const Record = Schema.Record
const Text = Schema.String
const Struct = Schema.Struct
const Unknown = Schema.Unknown
const maybe = Schema.optionalKey

const place = {
  session_id: Text.annotate({ description: "The id of the task; --resume takes it. Empty where there is none." }),
  uuid: Text.annotate({ description: "Of the line; the same each time that the event is told." })
}

const below = {
  ...place,
  parent_tool_use_id: NullOr(Text).annotate({
    description: "The call that the subtask was made with; null of the task."
  })
}

const used = {
  input_tokens: Natural,
  output_tokens: Natural,
  cache_read_input_tokens: Natural,
  cache_creation_input_tokens: Natural
}

const Init = Struct({
  type: Literal("system"),
  subtype: Literal("init"),
  cwd: Text,
  tools: List(Text),
  mcp_servers: List(Struct({ name: Text, status: Text })),
  model: Text,
  permissionMode: Literals(["default", "acceptEdits", "bypassPermissions", "plan"]),
  apiKeySource: Text,
  slash_commands: List(Text),
  output_style: Text,
  ...place
})

const Assistant = Struct({
  type: Literal("assistant"),
  message: Struct({
    id: Text,
    type: Literal("message"),
    role: Literal("assistant"),
    model: Text,
    content: List(Unknown),
    stop_reason: NullOr(Text),
    stop_sequence: NullOr(Text),
    usage: Struct(used)
  }),
  ...below
})

const Block = Struct({
  type: Literal("tool_result"),
  tool_use_id: Text,
  content: List(Unknown),
  is_error: maybe(Flag)
})

const User = Struct({
  type: Literal("user"),
  message: Struct({ role: Literal("user"), content: List(Block) }),
  ...below
})

const cost = NullOr(Finite).annotate({ description: "US dollars; null where a price is not known." })

export const Result = Struct({
  type: Literal("result"),
  subtype: Literals(["success", "error_during_execution", "error_max_turns", "error_max_budget_usd"]),
  is_error: Flag,
  duration_ms: Finite,
  duration_api_ms: Finite,
  num_turns: Natural,
  result: maybe(Text),
  errors: maybe(List(Text)),
  stop_reason: NullOr(Text),
  total_cost_usd: cost,
  usage: Struct({ ...used, server_tool_use: Struct({ web_search_requests: Natural }), service_tier: NullOr(Text) }),
  modelUsage: Record(
    Text,
    Struct({
      inputTokens: Natural,
      outputTokens: Natural,
      cacheReadInputTokens: Natural,
      cacheCreationInputTokens: Natural,
      webSearchRequests: Natural,
      costUSD: cost
    })
  ),
  permission_denials: List(Struct({ tool_name: Text, tool_use_id: Text, tool_input: Unknown })),
  ...place
})

export const Line = Schema.Union([Init, Assistant, User, Result]).annotate({ identifier: "Line" })

export type Result = typeof Result.Type
export type Line = typeof Line.Type
export type PermissionMode = (typeof Init.Type)["permissionMode"]
