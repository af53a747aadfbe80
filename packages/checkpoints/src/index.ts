export { type Change, type Kind, type Side, type Undone } from "./Change.ts"
export { Checkpoint, CheckpointId, LeftOut, LeftOutReason, Moment } from "./Checkpoint.ts"
export { CheckpointError, Reason } from "./CheckpointError.ts"
export {
  Checkpoints,
  type Collected,
  type CompareRequest,
  type Options,
  type Recorded,
  type RecordRequest,
  type Restored,
  type RestoreRequest,
  type Skipped,
  type TaskPlace
} from "./Checkpoints.ts"
export { type Kept, type KeptReason } from "./Kept.ts"
export * as Timeline from "./Timeline.ts"
