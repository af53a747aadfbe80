export {
  type Change as FileChange,
  type Kind as FileKind,
  type Side as FileSide,
  type Undone as UndoneRestore
} from "./Change.ts"
export { Checkpoint, CheckpointId, LeftOut, LeftOutReason, Moment as CheckpointMoment } from "./Checkpoint.ts"
export { CheckpointError, Reason as CheckpointErrorReason } from "./CheckpointError.ts"
export {
  Checkpoints,
  type Collected as CollectResult,
  type CompareRequest,
  type Options as CheckpointsOptions,
  type Recorded as RecordResult,
  type RecordRequest,
  type Restored as RestoreResult,
  type RestoreRequest,
  type Skipped as SkippedRecord,
  type TaskPlace
} from "./Checkpoints.ts"
export { type Kept as KeptFile, type KeptReason } from "./Kept.ts"
export * as Timeline from "./Timeline.ts"
