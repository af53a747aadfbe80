/**
 * What a model call may take at most, stored before it is sent, so that calls of several processes never pass a limit
 * together.
 *
 * A reservation counts like usage until it is replaced: by the answer, in its commit; by what a call that was given up had
 * taken; or by all of it, when its process died or its task has made another call since.
 */
import { Usage } from "@belay/message-state"
import type { TaskId } from "@belay/task-state"

/** Limits of a task and everything below it; `null` is no limit. Money is US dollars. */
export interface Limits {
  readonly maxRequests: number | null
  readonly maxTokens: number | null
  readonly maxCostUsd: number | null
}

/** One call that is about to be made. */
export interface Asked {
  /** Of this call alone; the reservation of the same call made again takes the place of the one before. */
  readonly id: string
  readonly taskId: TaskId.TaskId
  readonly attempt: number
  readonly model: string
  /** The most that it takes. */
  readonly inputTokens: number
  readonly outputTokens: number
  /** The most that it costs, in US dollars; `null` when the price of the model is not known. */
  readonly costUsd: number | null
  /** With how little it is made, too, where a limit leaves no more; without it only with all of it. */
  readonly least?: {
    /** Where a limit leaves enough for this, it gets no more than this or a quarter of what is left: others need some, too. */
    readonly fair: number
    readonly outputTokens: number
    readonly costUsd: number | null
  }
  /** The tasks whose limits hold for it, its own and those above it; the first that refuses decides. */
  readonly scopes: ReadonlyArray<{ readonly taskId: TaskId.TaskId; readonly limits: Limits }>
}

/** Names the limit that a call would exceed. `price` means that the price of the model is not known. */
export type Limit = "requests" | "tokens" | "cost" | "price"

/** Answers whether a model call may be made. */
export type Reserved =
  /** `outputTokens` is what it may answer with. */
  | { readonly _tag: "Reserved"; readonly outputTokens: number }
  | {
      readonly _tag: "Refused"
      /** Whose limit it is, and which. */
      readonly by: TaskId.TaskId
      readonly limit: Limit
      /** What that task and everything below it has used. */
      readonly used: Usage.UsageTotal
      /** What is reserved there for other calls. */
      readonly open: Usage.UsageTotal
    }

/** All that the call may take. */
export const needOf = ({
  costUsd,
  inputTokens,
  outputTokens
}: Pick<Asked, "costUsd" | "inputTokens" | "outputTokens">): Usage.UsageTotal => ({
  ...Usage.none,
  inputTokens,
  outputTokens,
  costUsd,
  requests: 1
})

/** The limit that a call would pass; `price` when cost is limited and not known. */
export const passed = (
  { maxCostUsd, maxRequests, maxTokens }: Limits,
  used: Usage.UsageTotal,
  open: Usage.UsageTotal,
  need: Usage.UsageTotal
): Limit | undefined => {
  const all = Usage.sum(Usage.sum(used, open), need)
  if (maxRequests !== null && all.requests > maxRequests) return "requests"
  if (maxTokens !== null && Usage.contextTokens(all) > maxTokens) return "tokens"
  if (maxCostUsd === null) return undefined
  if (all.costUsd === null) return "price"
  return all.costUsd > maxCostUsd ? "cost" : undefined
}

/** The tokens of output that are left where so many could be paid for, at least. */
const shareOf = ({ least, outputTokens }: Asked, affordable: number): number => {
  if (least === undefined || affordable === Number.POSITIVE_INFINITY) return outputTokens
  return Math.min(outputTokens, affordable, Math.max(least.fair, Math.floor(affordable / 4)))
}

/** Says how many tokens of output the limits of a tree leave a call, or the limit that it would pass however few it takes. */
export const granted = (
  limits: Limits,
  used: Usage.UsageTotal,
  open: Usage.UsageTotal,
  asked: Asked
): { readonly outputTokens: number } | { readonly limit: Limit } => {
  const { inputTokens, least, outputTokens } = asked
  const limit = passed(limits, used, open, needOf({ ...asked, ...least }))
  if (limit !== undefined) return { limit }
  if (least === undefined) return { outputTokens }
  const taken = Usage.sum(used, open)
  const byTokens =
    limits.maxTokens === null ? Number.POSITIVE_INFINITY : limits.maxTokens - Usage.contextTokens(taken) - inputTokens
  return {
    outputTokens: Math.max(least.outputTokens, shareOf(asked, Math.min(byTokens, byCost(limits, taken, asked))))
  }
}

const byCost = ({ maxCostUsd }: Limits, taken: Usage.UsageTotal, { costUsd, least, outputTokens }: Asked): number => {
  if (maxCostUsd === null || costUsd === null || taken.costUsd === null) return Number.POSITIVE_INFINITY
  if (least === undefined || least.costUsd === null) return Number.POSITIVE_INFINITY
  const perToken = (costUsd - least.costUsd) / (outputTokens - least.outputTokens)
  if (!(perToken > 0)) return Number.POSITIVE_INFINITY
  return least.outputTokens + Math.floor((maxCostUsd - taken.costUsd - least.costUsd) / perToken)
}

/** The call with so many tokens of output. */
export const withOutput = (asked: Asked, outputTokens: number): Asked => {
  const { costUsd, least } = asked
  if (least === undefined || outputTokens === asked.outputTokens || costUsd === null || least.costUsd === null) {
    return { ...asked, outputTokens }
  }
  const perToken = (costUsd - least.costUsd) / (asked.outputTokens - least.outputTokens)
  return { ...asked, outputTokens, costUsd: least.costUsd + perToken * (outputTokens - least.outputTokens) }
}
