/** Rows as SQLite returns them, and the values they stand for. */
import type { Usage } from "@belay/message-state"
import { TaskRecord, type TaskId } from "@belay/task-state"
import * as Schema from "effect/Schema"
import type { OwnerRow } from "../Owner.ts"
import type * as Step from "../Step.ts"

export interface TaskColumns {
  readonly id: TaskId.TaskId
  readonly record: string
  readonly title: string
  readonly workspace: string
  readonly mode: "plan" | "act"
  readonly model: string
  readonly host: string
  readonly settings: string
  readonly created_at: number
}

export interface MetricColumns {
  readonly last_seq: number
  readonly message_count: number
  readonly updated_at: number
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_tokens: number
  readonly cache_write_tokens: number
  readonly cost_usd: number | null
  readonly requests: number
  readonly context_tokens: number
  readonly checklist_done: number | null
  readonly checklist_total: number | null
}

export interface LeaseColumns {
  readonly task_id: TaskId.TaskId
  readonly owner_id: string
  readonly attempt: number
  readonly taken_at: number
}

export interface OwnerColumns {
  readonly owner_id: string
  readonly machine_id: string
  readonly boot_id: string
  readonly pid_namespace: string
  readonly pid: number
  readonly kind: string
  readonly host: string
}

const decodeRecord = Schema.decodeUnknownSync(Schema.fromJsonString(TaskRecord.TaskRecord))

/** Throws on a record that cannot be read; callers turn that into a `corrupt` error. */
export const recordOf = (json: string): TaskRecord.TaskRecord => decodeRecord(json)

export const metaOf = (row: TaskColumns): Step.TaskMeta => ({
  title: row.title,
  workspace: row.workspace,
  mode: row.mode,
  model: row.model,
  host: row.host,
  settings: JSON.parse(row.settings)
})

export const leaseOf = (row: LeaseColumns): TaskRecord.Lease => ({
  taskId: row.task_id,
  ownerId: row.owner_id,
  attempt: row.attempt,
  takenAt: row.taken_at
})

export const ownerOf = (row: OwnerColumns): OwnerRow => ({
  ownerId: row.owner_id,
  machineId: row.machine_id,
  bootId: row.boot_id,
  pidNamespace: row.pid_namespace,
  pid: row.pid,
  kind: row.kind,
  host: row.host
})

export const usageOf = (row: MetricColumns): Usage.UsageTotal => ({
  inputTokens: row.input_tokens,
  outputTokens: row.output_tokens,
  cacheReadTokens: row.cache_read_tokens,
  cacheWriteTokens: row.cache_write_tokens,
  costUsd: row.cost_usd,
  requests: row.requests
})
