/** Tells of repairs: one line each in the log, at debug level, and once to the program that asked for them. */
import * as Effect from "effect/Effect"
import { RepairNotice } from "../../history/RepairNotice.ts"
import type { Reconciled } from "../../history/TaskHistory.ts"

const tell = Effect.fnUntraced(function* (reconciled: Reconciled) {
  const { quarantined, repairs } = reconciled
  for (const { reason, taskId } of quarantined) yield* Effect.logDebug(`a copy of task ${taskId} is kept: ${reason}`)
  for (const { detail, rule, taskId } of repairs) yield* Effect.logDebug(`repaired task ${taskId} (${rule}): ${detail}`)
  if (repairs.length + quarantined.length > 0) yield* (yield* RepairNotice)(reconciled)
})

export const logged = <E, R>(reconcile: Effect.Effect<Reconciled, E, R>): Effect.Effect<Reconciled, E, R> =>
  Effect.tap(reconcile, tell)
