/**
 * The limits of a whole tree: checked before each model call, and counted over all its tasks.
 *
 * A call is reserved before it is made, so parallel subtasks cannot pass the limit of requests together. Money is known
 * only afterwards: a tree stops before the first call that finds the limit reached.
 */
import { TaskHistory, type HistoryError } from "@belay/history-store"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import type { Running } from "./Running.ts"
import * as Settings from "./Settings.ts"

export interface Budget {
  /** Reserves one model call; the sentence says which limit refuses it. */
  readonly reserve: (running: Running) => Effect.Effect<string | undefined, HistoryError.HistoryError>
  /** The reserved call has been stored, or was never answered. */
  readonly release: (running: Running) => Effect.Effect<void>
}

const unknownPrice = (model: string): string => `the price of ${model} is not known, so its cost cannot be limited`

const money = (usd: number): string => `$${usd.toFixed(2)}`

export const make: Effect.Effect<Budget, never, TaskHistory> = Effect.map(TaskHistory, (history) => {
  const reserved = new Map<TaskId.TaskId, number>()
  const add = (root: TaskId.TaskId, by: number) => {
    const count = (reserved.get(root) ?? 0) + by
    reserved.set(root, count)
    return count
  }
  const reserve: Budget["reserve"] = (running) => {
    const { maxCostUsd, maxRequests } = running.settings
    if (maxCostUsd === null && maxRequests === null) return Effect.succeed(undefined)
    const model = Settings.modelFor(running.settings, running.mode)
    if (maxCostUsd !== null && Settings.limitsOf(running.settings, model).price === undefined) {
      // What cannot be counted cannot be limited.
      return Effect.as(
        Effect.sync(() => add(running.record.lineage.rootId, 1)),
        unknownPrice(model)
      )
    }
    const root = running.record.lineage.rootId
    add(root, 1)
    return Effect.map(history.treeUsage(root), (used) => {
      const open = reserved.get(root) ?? 0
      if (maxRequests !== null && used.requests + open > maxRequests) {
        return `${used.requests} of ${maxRequests} requests used`
      }
      if (maxCostUsd !== null && (used.costUsd ?? 0) >= maxCostUsd) {
        return `${money(used.costUsd ?? 0)} of ${money(maxCostUsd)} spent`
      }
      return undefined
    })
  }
  const release: Budget["release"] = (running) =>
    Effect.sync(() => {
      const { maxCostUsd, maxRequests } = running.settings
      if (maxCostUsd !== null || maxRequests !== null) add(running.record.lineage.rootId, -1)
    })
  return { reserve, release }
})
