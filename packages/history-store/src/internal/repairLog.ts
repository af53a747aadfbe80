/** One line a repair in the log of the program that asked for it; at debug level, because most programs print their log. */
import * as Effect from "effect/Effect"
import type { Reconciled } from "../TaskHistory.ts"

export const logged = <E, R>(reconcile: Effect.Effect<Reconciled, E, R>): Effect.Effect<Reconciled, E, R> =>
  Effect.tap(reconcile, ({ quarantined, repairs }) =>
    Effect.andThen(
      Effect.forEach(quarantined, ({ reason, taskId }) =>
        Effect.logDebug(`a copy of task ${taskId} is kept: ${reason}`)
      ),
      Effect.forEach(repairs, ({ detail, rule, taskId }) =>
        Effect.logDebug(`repaired task ${taskId} (${rule}): ${detail}`)
      )
    )
  )
