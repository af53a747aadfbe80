/**
 * The settings of one task: a snapshot that no window, file or other task changes while it runs.
 *
 * A child gets its parent's snapshot, never wider rights.
 */
import { Approvals } from "@belay/approval-policy"
import { Usage } from "@belay/message-state"
import * as Schema from "effect/Schema"

/** Limits and price of one model; tokens, and US dollars per million tokens. */
export const ModelLimits = Schema.Struct({
  inputLimit: Schema.Natural,
  outputReserve: Schema.Natural,
  price: Schema.optionalKey(Usage.Price)
})
export type ModelLimits = typeof ModelLimits.Type

export const TaskSettings = Schema.Struct({
  approvals: Schema.toType(Approvals.Approvals),
  actModel: Schema.String,
  planModel: Schema.String,
  models: Schema.Record(Schema.String, ModelLimits),
  strictPlanMode: Schema.Boolean,
  /** How deep subtasks nest, and how many are open at once below one task. */
  depth: Schema.Natural,
  fanOut: Schema.Natural,
  /** Model calls of the whole tree; `null` is no limit. */
  maxRequests: Schema.NullOr(Schema.Natural),
  /** US dollars of the whole tree; `null` is no limit. */
  maxCostUsd: Schema.NullOr(Schema.Finite)
})
export type TaskSettings = typeof TaskSettings.Type

export const decode = Schema.decodeUnknownEffect(TaskSettings)

export const defaultModel = "claude-sonnet-5-5"

/** What holds for a model that the settings do not know: no price, so its cost is unknown and not free. */
export const unknownModel: ModelLimits = { inputLimit: 200_000, outputReserve: 8192 }

export const defaults = (approvals: Approvals.Approvals, model: string = defaultModel): TaskSettings => ({
  approvals,
  actModel: model,
  planModel: model,
  models: {},
  strictPlanMode: true,
  depth: 5,
  fanOut: 16,
  maxRequests: null,
  maxCostUsd: null
})

/** The settings of a subtask after its parent was told something else: its approvals and the limits of the tree. */
export const inherited = (own: TaskSettings, parent: TaskSettings): TaskSettings => ({
  ...own,
  approvals: parent.approvals,
  maxRequests: parent.maxRequests,
  maxCostUsd: parent.maxCostUsd
})

export const modelFor = (settings: TaskSettings, mode: "plan" | "act"): string =>
  mode === "plan" ? settings.planModel : settings.actModel

export const limitsOf = (settings: TaskSettings, model: string): ModelLimits => settings.models[model] ?? unknownModel
