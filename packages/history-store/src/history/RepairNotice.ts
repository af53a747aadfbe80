/**
 * What a program does with the repairs that it has made: by default nothing, beside a line each in its log.
 *
 * A host provides one that tells its user, in the context in which its history is reconciled; `silent` where the repairs
 * are shown otherwise.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Reconciled } from "./TaskHistory.ts"

export type RepairNotice = (reconciled: Reconciled) => Effect.Effect<void>

/** Tells nobody. */
export const silent: RepairNotice = () => Effect.void

/** Called once after each `reconcile` that has repaired or copied something, when that is stored. */
export const RepairNotice = Context.Reference<RepairNotice>("@belay/history-store/RepairNotice", {
  defaultValue: () => silent
})
