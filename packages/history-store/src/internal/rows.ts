/** Rows as SQLite returns them, and the values they stand for. */
import type { Message, Usage } from "@belay/message-state"
import { TaskRecord, type TaskId } from "@belay/task-state"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Event from "../Event.ts"
import type { OwnerRow } from "../Owner.ts"
import type * as Step from "../Step.ts"
import type * as History from "../TaskHistory.ts"

export interface RecordColumns {
  readonly key: number
  readonly id: TaskId.TaskId
  readonly record: string
}

export interface TaskColumns extends RecordColumns {
  readonly title: string
  readonly workspace: string
  readonly mode: Event.Mode
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

export interface CallColumns {
  readonly message_idx: number
  readonly position: number
  readonly call_id: string
  readonly name: string
  readonly args_hash: string
  readonly state: Event.CallState
  readonly is_error: number | null
  readonly result: string | null
}

export interface MessageColumns {
  readonly idx: number
  readonly role: Message.Role
  readonly content: string
}

export interface AskColumns {
  readonly ask_id: string
  readonly attempt: number
  readonly kind: Event.AskKind
  readonly call_id: string | null
  readonly payload: string
  readonly open: number
  readonly decision: string | null
  readonly answer: string | null
}

/** A row that does not say what it should; callers turn it into a `corrupt` error. */
export class Unreadable extends Error {
  override readonly name = "Unreadable"
}

/** A stored JSON value. Throws `Unreadable`, naming it. */
export const parse = (json: string, what: string): unknown => {
  try {
    return JSON.parse(json) as unknown
  } catch (cause) {
    throw new Unreadable(`${what} cannot be read`, { cause })
  }
}

export const contentOf = (row: MessageColumns, taskId: TaskId.TaskId) =>
  parse(row.content, `message ${row.idx} of task ${taskId}`) as Message.Message["content"]

/** The result of a settled call whose turn is still open; empty once a message holds it. */
export const storedResult = (row: CallColumns, taskId: TaskId.TaskId) =>
  row.result === null
    ? []
    : (parse(row.result, `the result of call ${row.call_id} of task ${taskId}`) as Message.ToolResultBlock["content"])

export const payloadOf = (row: AskColumns, taskId: TaskId.TaskId) =>
  parse(row.payload, `ask ${row.ask_id} of task ${taskId}`) as History.Ask["payload"]

const decodeRecord = Schema.decodeUnknownResult(Schema.fromJsonString(TaskRecord.TaskRecord), {
  onExcessProperty: "error"
})

/** Records decoded before, by their text: every commit of a running task reads the same few. */
const decoded = new Map<string, TaskRecord.TaskRecord>()
const decodedAtMost = 64

/** The record of a row; `undefined` when it cannot be read. */
export const readableRecord = (row: RecordColumns): TaskRecord.TaskRecord | undefined => {
  const known = decoded.get(row.record)
  if (known !== undefined) return known.id === row.id ? known : undefined
  const found = decodeRecord(row.record)
  if (Result.isFailure(found) || found.success.id !== row.id) return undefined
  if (decoded.size >= decodedAtMost) decoded.clear()
  decoded.set(row.record, found.success)
  return found.success
}

/** Why a record cannot be read, in one line. */
export const damageOf = (row: RecordColumns): string => {
  const found = decodeRecord(row.record)
  if (Result.isSuccess(found)) return `it is the record of task ${found.success.id}`
  return found.failure.message.replaceAll(/\s+/g, " ").slice(0, 300)
}

/** The record of a row. Throws `Unreadable`, naming the task. */
export const recordOf = (row: RecordColumns): TaskRecord.TaskRecord => {
  const found = readableRecord(row)
  if (found === undefined) throw new Unreadable(`the record of task ${row.id} cannot be read`)
  return found
}

export const metaOf = (row: TaskColumns): Step.TaskMeta => ({
  title: row.title,
  workspace: row.workspace,
  mode: row.mode,
  model: row.model,
  host: row.host,
  settings: parse(row.settings, `the settings of task ${row.id}`)
})

export const leaseOf = (taskId: TaskId.TaskId, row: LeaseColumns): TaskRecord.Lease => ({
  taskId,
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
