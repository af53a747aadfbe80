/**
 * Durable tasks for coding agents, for programs that have promises: everything that the `/promise` entries of Belay's
 * packages have, with all that they stand on.
 */
export { InvalidApprovals, judgeCommand, judgePaths } from "@belay/approval-policy/node"
export type {
  Decision,
  JudgeCommandOptions,
  JudgeOptions,
  JudgePathsOptions,
  WantedPath
} from "@belay/approval-policy/node"
export { CheckpointError, openCheckpoints } from "@belay/checkpoints/promise"
export type * from "@belay/checkpoints/promise"
export { FocusChainError, openChecklist } from "@belay/focus-chain/promise"
export type { Checklist, ChecklistOptions, SeenChecklist } from "@belay/focus-chain/promise"
export { HistoryError, openHistory } from "@belay/history-store/promise"
export type * from "@belay/history-store/promise"
export { anthropic, defaultModel, defineModel, ModelError } from "@belay/model-client/promise"
export type * from "@belay/model-client/promise"
export { createBelay, RequestRefused, UnknownAsk } from "@belay/task-engine/promise"
export type * from "@belay/task-engine/promise"
export {
  decide as decideTask,
  decode as decodeTaskRecord,
  InvalidRecord,
  InvalidTaskId,
  taskId,
  transition as transitionTask,
  TransitionRejected
} from "@belay/task-state/promise"
export type * from "@belay/task-state/promise"
export { defineTool, InvalidTool } from "@belay/tool-executor/promise"
export type * from "@belay/tool-executor/promise"
