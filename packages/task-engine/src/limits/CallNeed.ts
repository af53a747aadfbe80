/** What a call of the model may take at most, as it is reserved. */
import { type Reservation } from "@belay/history-store"
import { Usage } from "@belay/message-state"
import { Models, Settings } from "@belay/settings"
import type { ActiveTask } from "../active/ActiveTask.ts"
import * as ContextSize from "../active/ContextSize.ts"

export type CallNeed = Pick<Reservation.Asked, "model" | "inputTokens" | "outputTokens" | "costUsd"> &
  Required<Pick<Reservation.Asked, "least">>

/** Some of the limits count calls. */
export const isCounted = ({ maxCostUsd, maxRequests, maxTokens }: Reservation.Limits): boolean =>
  [maxCostUsd, maxRequests, maxTokens].some((limit) => limit !== null)

/** Tokens of the shortest answer that a call is made for. */
const shortest = 1024

/** The most that the next call of a task takes, and with how little it is made, too; `again` only as it was made before. */
export const of = (running: ActiveTask, inputTokens: number, again?: number): CallNeed => {
  const { mode, settings } = running
  const { outputReserve, price } = Models.inMode(settings, mode)
  const rates = price && Usage.priceOf(price, inputTokens)
  const perInput = rates === undefined ? 0 : Math.max(rates.input, rates.cacheRead, rates.cacheWrite)
  const costOf = (outputTokens: number) =>
    rates === undefined ? null : (inputTokens * perInput + outputTokens * rates.output) / 1_000_000
  const outputTokens = again ?? Models.outputTokens(settings, mode)
  const fewest = Math.min(outputTokens, again ?? shortest)
  return {
    model: Settings.modelFor(settings, mode),
    inputTokens,
    outputTokens,
    costUsd: costOf(outputTokens),
    least: { fair: outputReserve, outputTokens: fewest, costUsd: costOf(fewest) }
  }
}

/** Tokens of notices that a request may have beside the results that it reads. */
const notices = 1024

/** The tokens that results of so many characters add to a request, estimated high. */
export const news = (characters: number): number => Math.ceil(characters / ContextSize.charactersPerToken) + notices

/** What was reserved is enough for the call, by the same limits. */
export const covers = (made: Reservation.Asked, wanted: Reservation.Asked): boolean =>
  made.attempt === wanted.attempt &&
  made.model === wanted.model &&
  made.inputTokens >= wanted.inputTokens &&
  made.outputTokens >= wanted.outputTokens &&
  (made.costUsd ?? Number.POSITIVE_INFINITY) >= (wanted.costUsd ?? Number.POSITIVE_INFINITY) &&
  JSON.stringify(made.scopes) === JSON.stringify(wanted.scopes)
