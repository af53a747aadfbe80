/** Rows as SQLite returns them, and the values they stand for. */
import { Message, Origin, type Usage } from "@belay/message-state"
import { TaskRecord, type TaskId } from "@belay/task-state"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Event from "../../history/Event.ts"
import type { OwnerRow } from "../../history/Owner.ts"
import type * as Step from "../../history/Step.ts"
import type * as History from "../../history/TaskHistory.ts"

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
  readonly planning: Event.PlanningPhase | null
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
  /** Absent in an older file. */
  readonly made_by?: string | null
  /** Absent in an older file. */
  readonly origin?: string | null
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
  readonly settled_by: string | null
}

/** A row that does not say what it should; callers turn it into a `corrupt` error that names the task. */
export class Unreadable extends Error {
  override readonly name = "Unreadable"
  readonly taskId: TaskId.TaskId | undefined

  constructor(what: string, taskId: TaskId.TaskId | undefined, options?: ErrorOptions) {
    super(`${what} cannot be read`, options)
    this.taskId = taskId
  }
}

type Guard<A> = (value: unknown) => value is A

/** A stored JSON value of a certain shape. Throws `Unreadable`, naming it. */
const parsed = <A>(json: string, isWhole: Guard<A>, what: string, taskId: TaskId.TaskId | undefined): A => {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (cause) {
    throw new Unreadable(what, taskId, { cause })
  }
  if (!isWhole(value)) throw new Unreadable(what, taskId)
  return value
}

type Fields = Readonly<Record<string, unknown>>

const isFields: Guard<Fields> = (value): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isListOf =
  <A>(isOne: Guard<A>): Guard<ReadonlyArray<A>> =>
  (value): value is ReadonlyArray<A> =>
    Array.isArray(value) && value.every(isOne)

const isText = (value: unknown): value is string => typeof value === "string"

/** What code that reads a block relies on; every other field is the service's own. */
const isBlock: Guard<Message.ContentBlock> = (value): value is Message.ContentBlock => {
  if (!isFields(value)) return false
  switch (value["type"]) {
    case "text":
      return isText(value["text"])
    case "tool_use":
      return isText(value["id"]) && isText(value["name"])
    case "tool_result":
      return isText(value["tool_use_id"]) && isListOf(isFields)(value["content"])
    default:
      return isText(value["type"])
  }
}

const isContent = isListOf(isBlock)

/** A stored object. Throws `Unreadable`, naming it. */
export const parse = (json: string, what: string, taskId?: TaskId.TaskId): Fields =>
  parsed(json, isFields, what, taskId)

/** A stored list of objects. Throws `Unreadable`, naming it. */
export const parseList = (json: string, what: string, taskId: TaskId.TaskId): ReadonlyArray<Fields> =>
  parsed(json, isListOf(isFields), what, taskId)

const isConflict = (value: unknown): value is Event.ChecklistConflict =>
  isFields(value) && isListOf(isText)(value["ids"]) && isListOf(isFields)(value["theirs"])

/** What a merge of a checklist could not keep of both sides. */
export const conflictOf = (json: string, taskId: TaskId.TaskId): Event.ChecklistConflict =>
  parsed(json, isConflict, `the checklist of task ${taskId}`, taskId)

export const contentOf = (row: MessageColumns, taskId: TaskId.TaskId): Message.Message["content"] =>
  parsed(row.content, isContent, `message ${row.idx} of task ${taskId}`, taskId)

const decodeMaker = Schema.decodeUnknownOption(Schema.fromJsonString(Message.Maker))

/** A message as it was stored; a maker that cannot be read is an unknown one, and so is who wrote a block. */
export const messageOf = (row: MessageColumns, taskId: TaskId.TaskId): Message.Message => {
  const by = typeof row.made_by === "string" ? Option.getOrUndefined(decodeMaker(row.made_by)) : undefined
  const from = typeof row.origin === "string" ? Origin.decode(row.origin) : undefined
  return {
    role: row.role,
    content: contentOf(row, taskId),
    ...(by === undefined ? {} : { by }),
    ...(from === undefined ? {} : { from })
  }
}

/** The result of a settled call whose turn is still open; empty once a message holds it. */
export const storedResult = (row: CallColumns, taskId: TaskId.TaskId): Message.ToolResultBlock["content"] =>
  row.result === null
    ? []
    : (parsed(
        row.result,
        isContent,
        `the result of call ${row.call_id} of task ${taskId}`,
        taskId
      ) as Message.ToolResultBlock["content"])

export const payloadOf = (row: AskColumns, taskId: TaskId.TaskId) =>
  parse(row.payload, `ask ${row.ask_id} of task ${taskId}`, taskId) as unknown as History.Ask["payload"]

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
  if (found === undefined) throw new Unreadable(`the record of task ${row.id}`, row.id)
  return found
}

const isAnything: Guard<unknown> = (_value): _value is unknown => true

/** What describes a task. Throws `Unreadable` when its settings are damaged. */
export const metaOf = (row: TaskColumns): Step.TaskMeta => ({
  title: row.title,
  workspace: row.workspace,
  mode: row.mode,
  model: row.model,
  ...(row.planning === null ? {} : { planning: row.planning }),
  host: row.host,
  settings: parsed(row.settings, isAnything, `the settings of task ${row.id}`, row.id)
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
