/**
 * What can be asked of the history. `attempt` is the fence of the runner that asks; requests without one are a person's,
 * or of whoever finds that no process is responsible.
 */
import type * as Command from "../Command.ts"
import type { TaskId } from "../TaskId.ts"
import type * as TaskRecord from "../TaskRecord.ts"

/** Bounds the tree: `depth` counts levels below the root, `fanOut` children of one task. */
export interface Limits {
  readonly depth: number
  readonly fanOut: number
}

/** The limits where the settings name none. */
export const defaultLimits: Limits = { depth: 5, fanOut: 16 }

interface OnTask<Tag extends string> {
  readonly _tag: Tag
  readonly taskId: TaskId
}

interface ByRunner<Tag extends string> extends OnTask<Tag> {
  readonly attempt: number
}

interface Delegating<Tag extends string> extends ByRunner<Tag> {
  readonly children: ReadonlyArray<Command.Child>
  readonly limits: Limits
}

/** One request to the history. `decide` answers it with everything that has to be written. */
export type Request =
  | (OnTask<"Create"> & { readonly continuesTaskId?: TaskId })
  | OnTask<"Start">
  | Delegating<"Delegate">
  /** Every child is awaited in the background. */
  | Delegating<"DelegateBackground">
  | (ByRunner<"Collect"> & {
      readonly children: ReadonlyArray<TaskId>
      /**
       * The reports go into the result of a `wait_for_tasks` call, which the same commit settles. Refused as `Changed`
       * unless every child is awaited and has completed.
       */
      readonly byWaitCall?: boolean
    })
  | (OnTask<"CollectUnowned"> & { readonly children: ReadonlyArray<TaskId> })
  /** The subtask `child` is given up for a new one, `to`. */
  | (OnTask<"Restart"> & { readonly child: TaskId; readonly to: TaskId })
  /** The task no longer waits for `child`, which is not stopped by this. */
  | (OnTask<"Abandon"> & { readonly child: TaskId })
  | (OnTask<"Interrupt"> & { readonly reason: TaskRecord.InterruptReason; readonly attempt?: number })
  | OnTask<"Resume">
  /** By a person: takes the task from a live process. */
  | OnTask<"TakeOver">
  | (ByRunner<"Complete"> & { readonly outcome: TaskRecord.Outcome; readonly result: string })
  /** By a person: ends an interrupted task; `note` is its result. */
  | (OnTask<"Close"> & { readonly outcome: TaskRecord.Outcome; readonly note: string })
  /** `as` is the id of the new task. */
  | (OnTask<"Continue"> & { readonly as: TaskId })
  | (OnTask<"Fork"> & { readonly as: TaskId })
  /** `subtasks`: of every depth, whether they are awaited or have reported. */
  | (OnTask<"Delete"> & {
      readonly subtasks: "delete" | "keep"
      /** Nothing of it can be taken back, nor of what was deleted before. */
      readonly forever?: true
    })
  /** Takes back the deletion of a task, with all that it took; of a task that is not deleted, nothing. */
  | OnTask<"Undelete">

export type RequestOf<Tag extends Request["_tag"]> = Extract<Request, { readonly _tag: Tag }>
