/** Why a limit stops a task, as sentences. */
import type { Reservation } from "@belay/history-store"
import { Usage } from "@belay/message-state"
import { duration } from "../text/duration.ts"

const minute = 60_000

/** That so many minutes are used up, as a sentence. */
export const timeUsed = (activeMs: number, minutes: number): string | undefined =>
  activeMs >= minutes * minute ? `${duration(activeMs)} of ${duration(minutes * minute)} used` : undefined

const money = (usd: number): string => `$${usd.toFixed(2)}`

type Refused = Extract<Reservation.Reserved, { readonly _tag: "Refused" }>

/** Why a call is refused, as a sentence. */
export const refusal = (
  { maxCostUsd, maxRequests, maxTokens }: Reservation.Limits,
  { limit, open, used }: Pick<Refused, "limit" | "open" | "used">,
  need: Usage.UsageTotal
): string => {
  switch (limit) {
    case "requests": {
      const others = open.requests === 0 ? "" : `, ${open.requests} under way`
      return `${used.requests} of ${maxRequests ?? 0} requests used${others}`
    }
    case "tokens": {
      const taken = `${Usage.contextTokens(used)} of ${maxTokens ?? 0} tokens used`
      return `${taken}, and the next call may take ${Usage.contextTokens(need)}`
    }
    case "cost":
      return `${money(used.costUsd ?? 0)} of ${money(maxCostUsd ?? 0)} spent, and the next call may cost ${money(need.costUsd ?? 0)}`
    default:
      return "the price of a model is not known, so cost cannot be limited. Say it with the setting models.ID.price"
  }
}
