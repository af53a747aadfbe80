/** The record of a task as types alone, without a library. Ids are texts; times are ms since 1970. */

/** Names a stored state. */
export type TaskStatus = "created" | "active" | "delegated" | "interrupted" | "completed"

/** Says how a task ended. */
export type TaskOutcome = "succeeded" | "failed" | "cancelled"

/** Says why a task is stopped; `ready`: nobody stopped it, and all that it waited for is there. */
export type InterruptReason =
  | "user"
  | "parent"
  | "host"
  | "crash"
  | "budget"
  | "mistakes"
  | "context"
  | "unattended"
  | "service"
  | "ready"

/** Tells where a task comes from; `depth` is 0 for a root. */
export interface TaskLineage {
  readonly parentId?: string
  readonly rootId: string
  readonly originCallId?: string
  readonly depth: number
}

interface Identity {
  readonly id: string
  /** Grows with every write. */
  readonly rev: number
  readonly lineage: TaskLineage
  /** Grows each time a process takes the task. */
  readonly attempt: number
  readonly continuesTaskId?: string
  readonly forkedFrom?: string
  readonly deletedAt?: number
}

/** The record of a task; `status` says which fields it has. */
export type TaskRecord =
  | (Identity & { readonly status: "created" | "active" | "delegated" })
  | (Identity & {
      readonly status: "interrupted"
      readonly interruption: {
        readonly reason: InterruptReason
        readonly from: "created" | "active" | "delegated"
      }
    })
  | (Identity & { readonly status: "completed"; readonly outcome: TaskOutcome; readonly result: string })

/** A change that the state of a task forbids: nothing was written. `rule` names what forbids it. */
export interface TransitionRejected extends Error {
  readonly _tag: "TransitionRejected"
  readonly taskId: string
  readonly command: string
  readonly status: TaskStatus | "absent"
  readonly rule: string
}
