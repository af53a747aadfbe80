/**
 * Makes stored event rows whole again, from the messages, calls, asks and usage that they refer to.
 *
 * A page of events costs a fixed number of statements. All rows referred to are append-only, and a call's result is
 * read before the message that takes it over, so a concurrent writer cannot hide one.
 */
import { Message, Usage } from "@belay/message-state"
import { Journal, Reconcile, type TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type * as Event from "../../history/Event.ts"
import * as Audit from "./audit.ts"
import * as CallEnd from "./callEnd.ts"
import {
  type AskColumns,
  type CallColumns,
  type MessageColumns,
  messageOf,
  parse,
  payloadOf,
  type RecordColumns,
  readableRecord,
  storedResult
} from "./rows.ts"

export interface EventColumns {
  readonly key: number
  readonly seq: number
  readonly ts: number
  readonly type: Event.EventType
  readonly data: string
}

interface UsageColumns {
  readonly n: number
  readonly model: string
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_tokens: number
  readonly cache_write_tokens: number
  readonly cost_usd: number | null
}

/** `i` is a message (of a new task its prompt, 0 unless it stands after a copied log), `m` and `p` a call of a message, `n` a model call; all else is stored as readers see it. */
interface Stored {
  readonly i?: number
  readonly m?: number
  readonly p?: number
  readonly n?: number
  readonly partial?: true
  readonly askId?: string
  readonly rule?: string
  readonly sandbox?: Audit.Audit["sandbox"]
  readonly outcome?: Event.CallEnd["outcome"]
  readonly ms?: number
  /** What the record began with; it stands in no event that readers see. */
  readonly origin?: unknown
  /** Of a completed task; older rows leave it to the record. */
  readonly result?: string
}

interface Source {
  readonly taskId: TaskId.TaskId
  readonly calls: ReadonlyMap<string, CallColumns>
  readonly messages: ReadonlyMap<number, Message.Message>
  readonly usage: ReadonlyMap<number, UsageColumns>
  readonly asks: ReadonlyMap<string, AskColumns>
  readonly result: string
}

const callKey = (messageIndex: number, position: number): string => `${messageIndex}:${position}`

/** What the first block says is what was asked for; hosts add context in further blocks. */
export const promptOf = (message: Message.Message | undefined): string => {
  const first = message?.content[0]
  if (first === undefined || message === undefined) return ""
  return first.type === "text" ? first.text : Message.textOf(message)
}

const spread = (numbers: ReadonlyArray<number | undefined>): readonly [number, number] | undefined => {
  const known = numbers.filter((value) => value !== undefined)
  return known.length === 0 ? undefined : [Math.min(...known), Math.max(...known)]
}

/** Loads what a page of one task's events refers to. */
const load = (
  sql: SqlClient.SqlClient,
  taskId: TaskId.TaskId,
  key: number,
  types: ReadonlySet<Event.EventType>,
  stored: ReadonlyArray<Stored>
) =>
  Effect.gen(function* () {
    const none = Effect.succeed([])
    const turns = spread(stored.map((data) => data.m))
    const calls = yield* turns === undefined
      ? none
      : sql<CallColumns>`SELECT message_idx, position, call_id, name, args_hash, state, is_error, result FROM tool_call
          WHERE task = ${key} AND message_idx BETWEEN ${turns[0]} AND ${turns[1]}`
    const shown = spread(stored.map((data) => data.i ?? data.m))
    // Results are in the first message of results after their calls; most often that is the next one.
    const messages = yield* shown === undefined
      ? none
      : sql<MessageColumns>`SELECT * FROM message
          WHERE task = ${key} AND idx BETWEEN ${shown[0]} AND coalesce((SELECT idx FROM message
            WHERE task = ${key} AND idx > ${shown[1]} AND content LIKE '[{"type":"tool_result"%'
            ORDER BY idx LIMIT 1), ${shown[1]})`
    const spent = spread(stored.map((data) => data.n))
    const usage = yield* spent === undefined
      ? none
      : sql<UsageColumns>`SELECT * FROM usage WHERE task = ${key} AND n BETWEEN ${spent[0]} AND ${spent[1]}`
    const asks = yield* types.has("ask") ? sql<AskColumns>`SELECT * FROM ask WHERE task = ${key}` : none
    const completed = yield* types.has("task.completed")
      ? sql<RecordColumns>`SELECT key, id, record FROM task WHERE key = ${key}`
      : none
    const record = completed[0] && readableRecord(completed[0])
    const source: Source = {
      taskId,
      calls: new Map(calls.map((row) => [callKey(row.message_idx, row.position), row])),
      messages: new Map(messages.map((row): [number, Message.Message] => [row.idx, messageOf(row, taskId)])),
      usage: new Map(usage.map((row) => [row.n, row])),
      asks: new Map(asks.map((row) => [row.ask_id, row])),
      result: record?.status === "completed" ? record.result : ""
    }
    return source
  })

const resultOf = (from: Source, call: CallColumns): Message.ToolResultBlock["content"] => {
  if (call.result !== null) return storedResult(call, from.taskId)
  for (let index = call.message_idx + 1; from.messages.has(index); index++) {
    const block = from.messages
      .get(index)
      ?.content.find(
        (candidate): candidate is Message.ToolResultBlock =>
          candidate.type === "tool_result" && candidate.tool_use_id === call.call_id
      )
    if (block !== undefined) return block.content
  }
  return []
}

const toolFields = (from: Source, type: Event.EventType, data: Stored) => {
  const call = from.calls.get(callKey(data.m ?? -1, data.p ?? -1))
  if (call === undefined) return { callId: "", name: "" }
  const shared = { callId: call.call_id, name: call.name }
  if (type === "tool.started") {
    return { ...shared, argsHash: call.args_hash, ...Audit.of(data) }
  }
  if (type === "tool.finished") {
    const { is_error, state } = call
    return { ...shared, isError: is_error === 1, result: resultOf(from, call), state, ...CallEnd.of(data) }
  }
  const message = from.messages.get(call.message_idx)
  const block = message && Message.toolUses(message).find((use) => use.id === call.call_id)
  return { ...shared, args: block?.input }
}

const usageFields = (row: UsageColumns | undefined) => {
  const usage: Usage.Usage = {
    inputTokens: row?.input_tokens ?? 0,
    outputTokens: row?.output_tokens ?? 0,
    cacheReadTokens: row?.cache_read_tokens ?? 0,
    cacheWriteTokens: row?.cache_write_tokens ?? 0
  }
  return {
    model: row?.model ?? "",
    ...usage,
    costUsd: row?.cost_usd ?? null,
    contextTokens: Usage.contextTokens(usage)
  }
}

const askFields = (from: Source, data: Stored): object => {
  const row = from.asks.get(data.askId ?? "")
  if (row === undefined) return data
  return { ...data, kind: row.kind, ...payloadOf(row, from.taskId) }
}

const fieldsOf = (from: Source, type: Event.EventType, data: Stored): object => {
  switch (type) {
    case "task.created": {
      const { i: index = 0, origin: _origin, ...created } = data
      return { ...created, prompt: promptOf(from.messages.get(index)) }
    }
    case "message": {
      const index = data.i ?? -1
      return { index, ...from.messages.get(index) }
    }
    case "tool.requested":
    case "tool.started":
    case "tool.finished":
      return toolFields(from, type, data)
    case "usage":
      return { ...usageFields(from.usage.get(data.n ?? -1)), ...(data.partial === true ? { partial: true } : {}) }
    case "ask":
      return askFields(from, data)
    case "task.completed":
      return { result: from.result, ...data }
    case "delegation.collected":
    case "task.status":
      return Journal.asToday(data)
    case "repaired":
      return { ...data, rule: Reconcile.ruleOf(data.rule ?? "") }
    default:
      return data
  }
}

/** The events of one task, whole, in the order of their rows. */
export const hydrate = (sql: SqlClient.SqlClient, taskId: TaskId.TaskId, rows: ReadonlyArray<EventColumns>) =>
  Effect.gen(function* () {
    const key = rows[0]?.key
    if (key === undefined) return []
    const stored = rows.map((row) => {
      const data = parse(row.data, `event ${row.seq} of task ${taskId}`, taskId) as Stored
      return row.type === "task.created" ? { i: 0, ...data } : data
    })
    const types = rows.map((row) => row.type).filter((_, index) => stored[index]?.result === undefined)
    const from = yield* load(sql, taskId, key, new Set(types), stored)
    return rows.map((row, index) => {
      const fields = fieldsOf(from, row.type, stored[index] ?? {})
      return { taskId, seq: row.seq, ts: row.ts, type: row.type, ...fields } as Event.StoredEvent
    })
  })
