/**
 * The settings of one task: a snapshot that no window, file or other task changes while it runs.
 *
 * A child gets its parent's snapshot, never wider rights.
 */
import { Approvals, CommandRule, Grant, NetworkRule } from "@belay/approval-policy"
import { Usage } from "@belay/message-state"
import { ModelTable } from "@belay/model-client"
import { Hook } from "@belay/tool-executor/hooks"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** Describes what the user says of one model; tokens, and US dollars per million tokens. `outputReserve` is what a prompt leaves free. */
export const ModelLimits = Schema.Struct({
  inputLimit: Schema.optionalKey(Schema.Natural),
  outputReserve: Schema.optionalKey(Schema.Natural),
  price: Schema.optionalKey(Usage.Price),
  /** The largest answer, in tokens. */
  maxOutput: Schema.optionalKey(Schema.Natural),
  /** How it is told to think; an effort is for those that decide by themselves. */
  thinking: Schema.optionalKey(Schema.Literals(["none", "budget", "adaptive"])),
  images: Schema.optionalKey(Schema.Boolean)
})
export type ModelLimits = typeof ModelLimits.Type

/** Says how much a model thinks: not at all, by a word, or so many tokens of an answer. */
export const Thinking = Schema.Union([
  Schema.Literals(["off", "low", "medium", "high"]),
  Schema.Int.check(Schema.isGreaterThanOrEqualTo(ModelTable.leastBudget))
])

/** Describes what is asked of an answer. */
export const Answers = Schema.Struct({
  /** By default as the maker of the model has it, and nothing where the model is not known. */
  thinking: Schema.optionalKey(Thinking),
  /** Tokens of an answer, at most; by default what is known of the model. */
  maxOutputTokens: Schema.optionalKey(Schema.Natural),
  temperature: Schema.optionalKey(Schema.Finite)
})
export type Answers = typeof Answers.Type

/** Limits of a task and everything below it; `null` is no limit. */
export const Limits = Schema.Struct({
  /** Model calls. */
  maxRequests: Schema.NullOr(Schema.Natural),
  /** US dollars. */
  maxCostUsd: Schema.NullOr(Schema.Finite),
  /** Input, output and cache, together. */
  maxTokens: Schema.NullOr(Schema.Natural).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  /** Of the time in which the task itself is at work or waits for its subtasks. */
  maxDurationMinutes: Schema.NullOr(Schema.Finite).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))
})
export type Limits = typeof Limits.Type

/** The limits of a task that has none. */
export const noLimits: Limits = { maxRequests: null, maxCostUsd: null, maxTokens: null, maxDurationMinutes: null }

/** Returns whether there is any limit. */
export const isLimited = (limits: Limits): boolean =>
  [limits.maxRequests, limits.maxCostUsd, limits.maxTokens, limits.maxDurationMinutes].some((limit) => limit !== null)

/** The checklist of a task. */
export const FocusChain = Schema.Struct({
  /** Without it the model is told of no checklist, and a list that is there is left alone. */
  enabled: Schema.Boolean,
  /** Requests without an update after which the model is reminded of open items. */
  remindAfter: Schema.Natural,
  /** A completion is refused while items are open. */
  completionNeedsAllDone: Schema.Boolean
})
export type FocusChain = typeof FocusChain.Type

/** The settings of the checklist where a file says nothing. */
export const focusChain: FocusChain = { enabled: true, remindAfter: 6, completionNeedsAllDone: false }

/** Words of the user in the system prompt: in the place of how to work, or after it. */
export const SystemText = Schema.Struct({
  replace: Schema.optionalKey(Schema.String),
  append: Schema.optionalKey(Schema.String)
})
export type SystemText = typeof SystemText.Type

/** Says where MCP servers came from that a task was given for itself; what may be secret in them is not kept. */
export const McpConfig = Schema.Struct({
  /** Absolute; absent where they were not in a file. */
  file: Schema.optionalKey(Schema.String),
  /** SHA-256 of what it said, as hex. */
  hash: Schema.String,
  names: Schema.Array(Schema.String)
})
export type McpConfig = typeof McpConfig.Type

/** Decodes the settings that are stored with a task. A field that an older version did not store gets its default. */
export const TaskSettings = Schema.Struct({
  approvals: Schema.toType(Approvals.Approvals),
  actModel: Schema.String,
  planModel: Schema.String,
  /** What the user says of models, by id or by a pattern such as `qwen*`. */
  models: Schema.Record(Schema.String, ModelLimits),
  ...Answers.fields,
  /** What differs in one mode. */
  act: Schema.optionalKey(Answers),
  plan: Schema.optionalKey(Answers),
  strictPlanMode: Schema.Boolean,
  /** The names of the only tools that there are for the task; by default all. */
  tools: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The names of tools that there are none of for the task. */
  withoutTools: Schema.optionalKey(Schema.Array(Schema.String)),
  system: Schema.optionalKey(SystemText),
  /** A JSON Schema that the result has to fit; of the task alone, not of its subtasks. */
  resultSchema: Schema.optionalKey(Schema.Json),
  mcpConfig: Schema.optionalKey(Schema.Array(McpConfig)),
  /** Whether commands that nobody is asked about run confined: must, where that is possible, or never. */
  sandbox: Schema.Literals(["required", "preferred", "off"]).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed("preferred" as const))
  ),
  /** Hosts that confined commands reach: the user's, never a project's. */
  allowedDomains: NetworkRule.AllowedDomains.pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  /** What the manifests of the project held when the task began, where its checks run without asking: SHA-256 by path. */
  manifests: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  /** How deep subtasks nest, and how many are open at once below one task. */
  depth: Schema.Natural,
  fanOut: Schema.Natural,
  /** Calls of one answer that are carried out. */
  toolCallsPerRequest: Schema.Literals(["many", "one"]).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed("many" as const))
  ),
  /** The share of the model's usable context at which the conversation is condensed. */
  condenseAt: Schema.Finite.pipe(Schema.withDecodingDefaultKey(Effect.succeed(0.8))),
  /** Without asking. */
  autoCondense: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(true))),
  /** Whether the result of a root waits for the user's word where somebody attends. */
  completion: Schema.Literals(["ask", "auto"]).pipe(Schema.withDecodingDefaultKey(Effect.succeed("auto" as const))),
  focusChain: FocusChain.pipe(Schema.withDecodingDefaultKey(Effect.succeed(focusChain))),
  /** Whether the workspace is recorded around turns that may change it. */
  checkpoints: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(true))),
  /** What people allowed for this task and everything below it. */
  grants: Schema.Array(Grant.Rule).pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  /** Whether what people allowed always in the folder counts; not where the host restricts it. */
  folderGrants: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(true))),
  /** Commands that an earlier version allowed always in every folder: they ask, with that, until a person confirms them. */
  unconfirmed: Schema.Array(Schema.String).pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  /** What is asked before calls, in the order of the settings: the user's first, then a trusted project's. */
  hooks: Schema.Array(Hook.Hook).pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  ...Limits.fields
})
export type TaskSettings = typeof TaskSettings.Type

/** `=` before a text of plain words: what earlier versions wrote for "always", whatever the folder. */
const isMarked = (entry: string): boolean => CommandRule.exactText(entry) !== entry

/** The settings without entries that an earlier version may have written for all folders: they hold nowhere by themselves. */
export const separated = (settings: TaskSettings): TaskSettings => {
  const { commands } = settings.approvals
  const marked = commands.allow.filter(isMarked).map(CommandRule.exactText)
  if (marked.length === 0) return settings
  const allow = commands.allow.filter((entry) => !isMarked(entry))
  return {
    ...settings,
    approvals: { ...settings.approvals, commands: { ...commands, allow } },
    unconfirmed: [...new Set([...settings.unconfirmed, ...marked])]
  }
}

const decodeWhole = Schema.decodeUnknownEffect(TaskSettings)

const knows = (snapshot: unknown, name: string): boolean =>
  typeof snapshot === "object" && snapshot !== null && Object.hasOwn(snapshot, name)

/** A snapshot of an earlier version does not say which of its entries were meant for one folder. */
export const decode = (snapshot: unknown) =>
  Effect.map(decodeWhole(snapshot), (settings) => (knows(snapshot, "unconfirmed") ? settings : separated(settings)))

/** The model of both modes where nothing names one. */
export const defaultModel = "claude-sonnet-5-5"

/** The id of a model that may be named by a short name, such as `opus`: what is stored names it for good. */
export const named = ModelTable.resolve

/** Makes the settings of a task that has these approvals and defaults for everything else. */
export const defaults = (approvals: Approvals.Approvals, model: string = defaultModel): TaskSettings => ({
  approvals,
  actModel: named(model),
  planModel: named(model),
  models: {},
  strictPlanMode: true,
  sandbox: "preferred",
  allowedDomains: [],
  depth: 5,
  fanOut: 16,
  toolCallsPerRequest: "many",
  completion: "auto",
  focusChain,
  checkpoints: true,
  condenseAt: 0.8,
  autoCondense: true,
  grants: [],
  folderGrants: true,
  unconfirmed: [],
  hooks: [],
  ...noLimits
})

/** The settings of a subtask after its parent was told something else: its approvals, its hooks, its sandbox and what that opens; its limits stay. */
export const inherited = (own: TaskSettings, parent: TaskSettings): TaskSettings => ({
  ...own,
  approvals: parent.approvals,
  ...(parent.manifests === undefined ? {} : { manifests: parent.manifests }),
  ...(parent.withoutTools === undefined ? {} : { withoutTools: parent.withoutTools }),
  unconfirmed: parent.unconfirmed,
  folderGrants: parent.folderGrants,
  hooks: parent.hooks,
  sandbox: parent.sandbox,
  allowedDomains: parent.allowedDomains
})

/** Returns the name of the model of a mode. */
export const modelFor = (settings: TaskSettings, mode: "plan" | "act"): string =>
  mode === "plan" ? settings.planModel : settings.actModel

const decodeOption = Schema.decodeUnknownOption(TaskSettings)

/** The model of a stored snapshot in a mode, as a field of a step; none when the snapshot cannot be read. */
export const modelIn = (snapshot: unknown, mode: "plan" | "act"): { readonly model?: string } =>
  Option.match(decodeOption(snapshot), {
    onNone: () => ({}),
    onSome: (settings) => ({ model: modelFor(settings, mode) })
  })
