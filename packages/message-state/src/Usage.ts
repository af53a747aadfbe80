/**
 * What model calls consumed and cost. Tokens are counts, money is US dollars.
 *
 * A cost is `null` when the price of the model is not known, never 0: an unknown price must not look free.
 */
import * as Schema from "effect/Schema"

/** Decodes the tokens of one request, as the service counted them. The four counts do not overlap. */
export const Usage = Schema.Struct({
  inputTokens: Schema.Natural,
  outputTokens: Schema.Natural,
  cacheReadTokens: Schema.Natural,
  cacheWriteTokens: Schema.Natural
})
export type Usage = typeof Usage.Type

const rates = {
  input: Schema.Finite,
  output: Schema.Finite,
  cacheRead: Schema.Finite,
  cacheWrite: Schema.Finite
}

/** US dollars per million tokens. */
export const Price = Schema.Struct({
  ...rates,
  /** What all of a call costs whose prompt, cached or not, has more tokens than this. */
  above: Schema.optionalKey(Schema.Struct({ promptTokens: Schema.Natural, ...rates }))
})
export type Price = typeof Price.Type

/** The sum over the calls of a task; `costUsd` is `null` as soon as one call had no price. */
export interface UsageTotal extends Usage {
  readonly costUsd: number | null
  readonly requests: number
}

/** The usage of nothing. */
export const none: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }

/** The total of a task that has made no request. */
export const nothingSpent: UsageTotal = { ...none, costUsd: 0, requests: 0 }

/** The price of a call whose prompt has so many tokens. */
export const priceOf = (price: Price, promptTokens: number): Omit<Price, "above"> =>
  price.above !== undefined && promptTokens > price.above.promptTokens ? price.above : price

/** US dollars of one call. */
export const cost = (usage: Usage, price: Price | undefined): number | null => {
  if (price === undefined) return null
  const { cacheRead, cacheWrite, input, output } = priceOf(price, contextTokens(usage) - usage.outputTokens)
  const { cacheReadTokens, cacheWriteTokens, inputTokens, outputTokens } = usage
  const millionths =
    inputTokens * input + outputTokens * output + cacheReadTokens * cacheRead + cacheWriteTokens * cacheWrite
  return millionths / 1_000_000
}

/** Associative and commutative but for rounding; `nothingSpent` changes nothing, an unknown cost stays unknown. */
export const sum = (left: UsageTotal, right: UsageTotal): UsageTotal => ({
  inputTokens: left.inputTokens + right.inputTokens,
  outputTokens: left.outputTokens + right.outputTokens,
  cacheReadTokens: left.cacheReadTokens + right.cacheReadTokens,
  cacheWriteTokens: left.cacheWriteTokens + right.cacheWriteTokens,
  costUsd: left.costUsd === null || right.costUsd === null ? null : left.costUsd + right.costUsd,
  requests: left.requests + right.requests
})

/** Gives what fills the model's context after this call: all of the prompt, cached or not, and the answer. */
export const contextTokens = (usage: Usage): number =>
  usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens
