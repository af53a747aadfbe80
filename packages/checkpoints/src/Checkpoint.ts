/**
 * What is known of one checkpoint.
 */
import { TaskId } from "@belay/task-state"
import * as Schema from "effect/Schema"

/** 40 hexadecimal digits; the same state of the same moment of a task has the same id. */
export const CheckpointId = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^[0-9a-f]{40}$/u)),
  Schema.brand("CheckpointId")
)
export type CheckpointId = typeof CheckpointId.Type

/** Before the first change of a turn, after its last one, or before a restore. */
export const Moment = Schema.Literals(["before", "after", "restore"])
export type Moment = typeof Moment.Type

/**
 * Says why a file is not in a checkpoint: larger than the limit, not readable, written to while it was read, of a name that
 * no git repository may hold, or neither a file nor a symbolic link.
 */
export const LeftOutReason = Schema.Literals(["tooLarge", "unreadable", "changing", "name", "noFile"])
export type LeftOutReason = typeof LeftOutReason.Type

/** Decodes a file that a checkpoint does not hold, and the reason. */
export const LeftOut = Schema.Struct({
  /** Relative to the workspace, with "/"; bytes that are not UTF-8 are shown as U+FFFD. */
  path: Schema.String,
  reason: LeftOutReason
})
export type LeftOut = typeof LeftOut.Type

/** Decodes one stored state of a workspace. */
export const Checkpoint = Schema.Struct({
  id: CheckpointId,
  taskId: TaskId.TaskId,
  /** Of the API message whose turn it belongs to. */
  messageIndex: Schema.Natural,
  moment: Moment,
  /** ms since 1970. */
  at: Schema.Natural,
  /** How many files differ from the checkpoint before it; 0 for the first of a task. */
  files: Schema.Natural,
  /** The id of what the workspace held: equal trees are equal files. */
  tree: Schema.String,
  leftOut: Schema.Array(LeftOut)
})
export type Checkpoint = typeof Checkpoint.Type
