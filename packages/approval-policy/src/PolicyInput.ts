/** Everything a decision depends on. The policy reads nothing else: no clock, no file, no environment. */
import * as Schema from "effect/Schema"
import { Approvals } from "./Approvals.ts"
import { CommandFact } from "./CommandFact.ts"
import { FetchFact } from "./FetchRule.ts"
import { McpFact } from "./McpFact.ts"
import { PathFact } from "./PathFact.ts"
import { ToolCategory } from "./ToolCategory.ts"

/** Decodes everything that one decision depends on. Equal inputs get equal decisions. */
export const PolicyInput = Schema.Struct({
  tool: Schema.String,
  category: ToolCategory,
  /** The arguments after validation; they reach the decision through the facts, and name the server of an MCP tool. */
  args: Schema.Unknown,
  /** The mode of the task at the moment of execution. */
  mode: Schema.Literals(["plan", "act"]),
  /** The catalogue says that the tool changes nothing. Never taken from a model or an MCP server. */
  readOnly: Schema.Boolean,
  approvals: Schema.toType(Approvals),
  facts: Schema.Struct({
    paths: Schema.Array(PathFact),
    command: Schema.optionalKey(CommandFact),
    fetch: Schema.optionalKey(FetchFact),
    mcp: Schema.optionalKey(McpFact)
  }),
  /** The absolute, resolved root of the workspace. */
  workspace: Schema.String,
  /** The tool is in the catalogue. */
  known: Schema.Boolean,
  /** Default true: plan mode refuses. False: it asks; it never allows. */
  strictPlanMode: Schema.optionalKey(Schema.Boolean),
  /** The folder of Belay's own data, absolute and resolved. */
  home: Schema.optionalKey(Schema.String),
  /** Git directories that do not lie in a folder named `.git`, and folders of its hooks; absolute and resolved. */
  gitFolders: Schema.optionalKey(Schema.Array(Schema.String))
})
export type PolicyInput = typeof PolicyInput.Type

/** Returns whether a value is a complete input. The policy denies a call whose input is not. */
export const isPolicyInput: (value: unknown) => value is PolicyInput = Schema.is(PolicyInput)
