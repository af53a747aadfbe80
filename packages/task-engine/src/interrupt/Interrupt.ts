/** The steps that stop a task. No other module writes an interruption. */
import type { Step } from "@belay/history-store"
import type { TaskId, TaskRecord } from "@belay/task-state"

/** A task; with the attempt of who has it. */
export interface Stopped {
  readonly taskId: TaskId.TaskId
  readonly attempt?: number | undefined
}

/** Stops it. Where an attempt is named the task is stopped only as long as it has that one. */
export const step = ({ attempt, taskId }: Stopped, reason: TaskRecord.InterruptReason): Step.Step => ({
  _tag: "Lifecycle",
  request: { _tag: "Interrupt", taskId, reason, ...(attempt === undefined ? {} : { attempt }) }
})

type Interrupted = Extract<TaskRecord.TaskRecord, { readonly status: "interrupted" }>

/** With what the steps of `whileTaken` are written. */
export const fenceOf = ({ attempt, id }: Interrupted) => ({ taskId: id, attempt: attempt + 1 })

/** The step that takes a stopped task. */
export const taken = ({ id }: Pick<Interrupted, "id">): Step.Step => ({
  _tag: "Lifecycle",
  request: { _tag: "Resume", taskId: id }
})

/** Changes a stopped task and leaves it as stopped as before: all of it is one commit. */
export const whileTaken = (record: Interrupted, steps: ReadonlyArray<Step.Step>): ReadonlyArray<Step.Step> => [
  taken(record),
  ...steps,
  step(fenceOf(record), record.interruption.reason)
]
