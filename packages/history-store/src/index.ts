export * as Attention from "./history/Attention.ts"
export * as AttentionFile from "./AttentionFile.ts"
export * as Backup from "./Backup.ts"
export * as DeletedTask from "./history/DeletedTask.ts"
export * as Event from "./history/Event.ts"
export * as HistoryError from "./history/HistoryError.ts"
export type * as Import from "./history/Import.ts"
export { Inbox, type Queued } from "./history/Inbox.ts"
export type {
  Reply as InboxReply,
  Request as InboxRequest,
  RequestBody as InboxRequestBody,
  UnreadableRequest
} from "./history/Inbox.ts"
export { layerMemory, layerReader, layerSqlite } from "./internal/store/layer.ts"
export type { Options as HistoryOptions } from "./internal/store/layer.ts"
export { layerWorker } from "./layerWorker.ts"
export type { WorkerOptions } from "./layerWorker.ts"
export type { Doubt, Liveness, OwnerRow } from "./history/Owner.ts"
export { Ownership } from "./ownership/Ownership.ts"
export type { OwnershipOptions } from "./ownership/Ownership.ts"
export * as RepairNotice from "./history/RepairNotice.ts"
export * as Reservation from "./history/Reservation.ts"
export type { QueuedTask } from "./history/QueuedTask.ts"
export type { ReservedSession } from "./history/ReservedSession.ts"
export * as Search from "./history/Search.ts"
export * as Step from "./history/Step.ts"
export { TaskHistory } from "./history/TaskHistory.ts"
export type * as History from "./history/TaskHistory.ts"
