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
  /** Of this call alone; the same reservation made again changes nothing. */
  readonly id: string
  readonly taskId: TaskId.TaskId
  readonly attempt: number
  readonly model: string
  /** The most that it takes. */
  readonly inputTokens: number
  readonly outputTokens: number
  /** The most that it costs, in US dollars; `null` when the price of the model is not known. */
  readonly costUsd: number | null
  /** The tasks whose limits hold for it, its own and those above it; the first that refuses decides. */
  readonly scopes: ReadonlyArray<{ readonly taskId: TaskId.TaskId; readonly limits: Limits }>
}

export type Limit = "requests" | "tokens" | "cost" | "price"

export type Reserved =
  | { readonly _tag: "Reserved" }
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
