export * as Attention from "./Attention.ts"
export * as AttentionFile from "./AttentionFile.ts"
export * as Backup from "./Backup.ts"
export * as DeletedTask from "./DeletedTask.ts"
export * as Event from "./Event.ts"
export * as HistoryError from "./HistoryError.ts"
export type * as Import from "./Import.ts"
export { Inbox, type Queued } from "./Inbox.ts"
export type {
  Reply as InboxReply,
  Request as InboxRequest,
  RequestBody as InboxRequestBody,
  UnreadableRequest
} from "./Inbox.ts"
export { layerMemory, layerReader, layerSqlite } from "./layer.ts"
export type { Options } from "./layer.ts"
export { layerWorker } from "./layerWorker.ts"
export type { WorkerOptions } from "./layerWorker.ts"
export { Owner } from "./Owner.ts"
export type { Doubt, Liveness, OwnerRow } from "./Owner.ts"
export * as RepairNotice from "./RepairNotice.ts"
export * as Reservation from "./Reservation.ts"
export * as Search from "./Search.ts"
export * as Step from "./Step.ts"
export { TaskHistory } from "./TaskHistory.ts"
export type * as History from "./TaskHistory.ts"
