/** What is asked of tasks, and what is decided, as types alone, without a library. Ids are texts; times are ms since 1970. */
import type { InterruptReason, TaskOutcome, TaskRecord } from "./plain.ts"

/** Describes a subtask as its parent begins to wait for it; `callId` is the call that it answers. */
export interface TaskChild {
  readonly id: string
  readonly callId: string
  readonly wait: "foreground" | "background"
}

/** Describes what a subtask has reported. */
export interface TaskReport {
  readonly id: string
  readonly outcome: TaskOutcome | "abandoned" | "restarted" | "lost" | "deleted" | "unknown"
  readonly summary: string
}

interface Reports<Tag extends string> {
  readonly _tag: Tag
  readonly children: ReadonlyArray<TaskReport>
  readonly at: number
}

/** One command on one record. */
export type TaskCommand =
  | { readonly _tag: "Start" | "Resume" | "TakeOver" | "Undelete" }
  | {
      readonly _tag: "Delegate" | "DelegateBackground"
      readonly children: ReadonlyArray<TaskChild>
      readonly at: number
    }
  | (Reports<"Collect"> & { readonly byWaitCall?: boolean })
  | Reports<"CollectUnowned">
  | {
      readonly _tag: "Restart"
      readonly children: readonly [TaskReport]
      readonly to: TaskChild
      readonly at: number
    }
  | {
      readonly _tag: "Abandon"
      readonly children: readonly [TaskReport]
      /** A live runner of this process goes on with the task. */
      readonly held: boolean
      readonly at: number
    }
  | { readonly _tag: "Interrupt"; readonly reason: InterruptReason }
  | { readonly _tag: "Complete"; readonly outcome: TaskOutcome; readonly result: string }
  | { readonly _tag: "Close"; readonly outcome: TaskOutcome; readonly note: string }
  | {
      readonly _tag: "Delete"
      readonly at: number
      readonly by: string
      /** The task whose deletion it is: it can be taken back. Without one it is for good. */
      readonly with?: string
    }

interface On<Tag extends string> {
  readonly _tag: Tag
  readonly taskId: string
}

/** Of a runner, with the fence of its attempt. */
interface ByRunner<Tag extends string> extends On<Tag> {
  readonly attempt: number
}

/** One request to a history. */
export type TaskRequest =
  | (On<"Create"> & { readonly continuesTaskId?: string })
  | On<"Start" | "Resume" | "TakeOver" | "Undelete">
  | (ByRunner<"Delegate" | "DelegateBackground"> & {
      readonly children: ReadonlyArray<TaskChild>
      /** Levels below the root, and children of one task. */
      readonly limits: { readonly depth: number; readonly fanOut: number }
    })
  | (ByRunner<"Collect"> & { readonly children: ReadonlyArray<string>; readonly byWaitCall?: boolean })
  | (On<"CollectUnowned"> & { readonly children: ReadonlyArray<string> })
  | (On<"Restart"> & { readonly child: string; readonly to: string })
  | (On<"Abandon"> & { readonly child: string })
  | (On<"Interrupt"> & { readonly reason: InterruptReason; readonly attempt?: number })
  | (ByRunner<"Complete"> & { readonly outcome: TaskOutcome; readonly result: string })
  | (On<"Close"> & { readonly outcome: TaskOutcome; readonly note: string })
  | (On<"Continue" | "Fork"> & { readonly as: string })
  | (On<"Delete"> & { readonly subtasks: "delete" | "keep"; readonly forever?: true })

/** Gives a decision the facts of its own transaction. Reading it must have no effect. */
export interface TaskView {
  readonly task: (id: string) => TaskRecord | undefined
  readonly lease: (id: string) => TaskLease | undefined
  /** False only when it is proven that the process is gone. */
  readonly alive: (ownerId: string) => boolean
  /** The owner id of the process that asks. */
  readonly me: string
  readonly now: number
}

/** Says which process runs a task. */
export interface TaskLease {
  readonly taskId: string
  readonly ownerId: string
  readonly attempt: number
  readonly takenAt: number
}

/** A parent's call that a subtask's report answers. */
export interface TaskSettlement {
  readonly taskId: string
  readonly callId: string
  readonly childId: string
  readonly outcome: TaskReport["outcome"]
  readonly summary: string
}

/** Lists everything that one commit writes: all of it, or nothing. */
export interface TaskDecision {
  readonly changes: ReadonlyArray<{
    readonly command: string
    /** Its `rev` must still hold when `after` is written. */
    readonly before: TaskRecord | undefined
    readonly after: TaskRecord | undefined
    readonly lease: "keep" | "take" | "release"
  }>
  readonly settlements: ReadonlyArray<TaskSettlement>
  /** Each is a message to the parent, in the same commit. */
  readonly messages?: ReadonlyArray<TaskSettlement>
  /** What was looked at and is not changed; `null`: it was absent. */
  readonly reads?: ReadonlyArray<{ readonly taskId: string; readonly rev: number | null }>
}
