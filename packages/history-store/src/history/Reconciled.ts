/** What a reconciliation did: the repairs, and the records that could not be read. */
import type { Reconcile, TaskId } from "@belay/task-state"

/** Reports one repair that was carried out. */
export interface AppliedRepair {
  readonly taskId: TaskId.TaskId
  readonly rule: Reconcile.RepairRule
  readonly detail: string
}

/** A record that could not be read, copied as it was found. */
export interface Quarantined {
  readonly taskId: TaskId.TaskId
  /** The text that should have been a record. */
  readonly record: string
  /** Why it cannot be read, in one line. */
  readonly reason: string
  /** ms since 1970 */
  readonly foundAt: number
}

/** Reports one reconciliation. */
export interface Reconciled {
  readonly repairs: ReadonlyArray<AppliedRepair>
  /** What was copied now; each damaged text is copied once. */
  readonly quarantined: ReadonlyArray<Quarantined>
}
