/** What tasks have taken so far, told from their events: time, requests, tokens and money. */
import type { LiveEvent } from "@belay/task-engine"
import { Words } from "@belay/interaction"

interface Sum {
  readonly since: number
  requests: number
  tokens: number
  costUsd: number
  /** Models whose price is not known. */
  readonly unpriced: Set<string>
}

export interface Spent {
  readonly take: (event: LiveEvent.TaskEvent) => void
  /** Of one task until then, such as `in 0.3 s, 5 requests, 15k tokens, $0.42`. */
  readonly text: (taskId: string, until: number) => string
}

/** `0.3 s`, `4m 12s`. */
const took = (ms: number): string => (ms < 10_000 ? `${(Math.max(0, ms) / 1000).toFixed(1)} s` : Words.duration(ms))

const cost = ({ costUsd, requests, unpriced }: Sum): ReadonlyArray<string> => {
  if (requests === 0) return []
  const models = [...unpriced].map(Words.printable).join(", ")
  return [models === "" ? Words.money(costUsd) : `price of ${models} not set`]
}

export const make = (): Spent => {
  const tasks = new Map<string, Sum>()
  return {
    take: (event) => {
      const sum = tasks.get(event.taskId) ?? {
        since: event.ts,
        requests: 0,
        tokens: 0,
        costUsd: 0,
        unpriced: new Set()
      }
      tasks.set(event.taskId, sum)
      if (event.type !== "usage") return
      sum.requests += 1
      sum.tokens += event.inputTokens + event.outputTokens + event.cacheReadTokens + event.cacheWriteTokens
      if (event.costUsd === null) sum.unpriced.add(event.model)
      else sum.costUsd += event.costUsd
    },
    text: (taskId, until) => {
      const sum = tasks.get(taskId)
      if (sum === undefined) return ""
      const requests = `${sum.requests} request${sum.requests === 1 ? "" : "s"}`
      return [`in ${took(until - sum.since)}`, requests, `${Words.tokens(sum.tokens)} tokens`, ...cost(sum)].join(", ")
    }
  }
}
