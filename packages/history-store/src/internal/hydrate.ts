/** Makes stored event rows whole again, from the messages, calls, asks and usage that they refer to. */
import { Message } from "@belay/message-state"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type * as Event from "../Event.ts"
import { recordOf } from "./rows.ts"

export interface EventColumns {
  readonly task_id: TaskId.TaskId
  readonly seq: number
  readonly ts: number
  readonly type: Event.EventType
  readonly data: string
}

type Fields = Readonly<Record<string, any>>

interface Source {
  readonly message: (index: number) => Effect.Effect<Message.Message | undefined, SqlError>
  readonly sql: SqlClient.SqlClient
  readonly taskId: TaskId.TaskId
}

const source = (sql: SqlClient.SqlClient, taskId: TaskId.TaskId): Source => {
  const cache = new Map<number, Message.Message>()
  const message = (index: number) => {
    const known = cache.get(index)
    if (known !== undefined) return Effect.succeed(known)
    return Effect.map(
      sql<{ role: Message.Role; content: string }>`SELECT role, content FROM message
        WHERE task_id = ${taskId} AND idx = ${index}`,
      (rows) => {
        const row = rows[0]
        if (row === undefined) return undefined
        const found: Message.Message = { role: row.role, content: JSON.parse(row.content) }
        cache.set(index, found)
        return found
      }
    )
  }
  return { message, sql, taskId }
}

const requestedArgs = (from: Source, data: Fields) =>
  Effect.map(from.message(data["m"]), (message) => {
    const block = message && Message.toolUses(message).find((use) => use.id === data["callId"])
    return { callId: data["callId"], name: data["name"], args: block?.input ?? {} }
  })

const startedHash = (from: Source, data: Fields) =>
  Effect.map(
    from.sql<{ args_hash: string }>`SELECT args_hash FROM tool_call
      WHERE task_id = ${from.taskId} AND message_idx = ${data["m"]} AND call_id = ${data["callId"]}`,
    (rows) => ({ callId: data["callId"], name: data["name"], argsHash: rows[0]?.args_hash ?? "" })
  )

/** The results of a turn are in the user message after it, or with their calls while the turn is not complete. */
const finishedResult = (from: Source, data: Fields) =>
  Effect.gen(function* () {
    const { m, ...fields } = data
    const message = yield* from.message(m + 1)
    const block = message?.content.find(
      (candidate): candidate is Message.ToolResultBlock =>
        candidate.type === "tool_result" && candidate.tool_use_id === data["callId"]
    )
    if (block !== undefined) return { ...fields, result: block.content }
    const rows = yield* from.sql<{ result: string | null }>`SELECT result FROM tool_call
      WHERE task_id = ${from.taskId} AND message_idx = ${m} AND call_id = ${data["callId"]}`
    const stored = rows[0]?.result
    return { ...fields, result: stored == null ? [] : JSON.parse(stored) }
  })

const usageRow = (from: Source, data: Fields) =>
  Effect.map(
    from.sql<Record<string, any>>`SELECT * FROM usage WHERE task_id = ${from.taskId} AND n = ${data["n"]}`,
    (rows) => {
      const row = rows[0] ?? {}
      const usage = {
        inputTokens: row["input_tokens"] ?? 0,
        outputTokens: row["output_tokens"] ?? 0,
        cacheReadTokens: row["cache_read_tokens"] ?? 0,
        cacheWriteTokens: row["cache_write_tokens"] ?? 0
      }
      const contextTokens =
        usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens
      return { model: row["model"] ?? "", ...usage, costUsd: row["cost_usd"] ?? null, contextTokens }
    }
  )

const askPayload = (from: Source, data: Fields) =>
  Effect.map(
    from.sql<{ kind: string; payload: string }>`SELECT kind, payload FROM ask WHERE ask_id = ${data["askId"]}`,
    (rows) => ({ askId: data["askId"], kind: rows[0]?.kind, ...JSON.parse(rows[0]?.payload ?? "{}") })
  )

const completedResult = (from: Source, data: Fields) =>
  Effect.map(from.sql<{ record: string }>`SELECT record FROM task WHERE id = ${from.taskId}`, (rows) => {
    const record = rows[0] && recordOf(rows[0].record)
    return { ...data, result: record?.status === "completed" ? record.result : "" }
  })

const promptOf = (from: Source, data: Fields) =>
  Effect.map(from.message(0), (message) => {
    const first = message?.content[0]
    return { ...data, prompt: first?.type === "text" ? first.text : "" }
  })

const fieldsOf = (from: Source, type: Event.EventType, data: Fields): Effect.Effect<Fields, SqlError> => {
  switch (type) {
    case "task.created":
      return promptOf(from, data)
    case "message":
      return Effect.map(from.message(data["index"]), (message) => ({ ...data, content: message?.content ?? [] }))
    case "tool.requested":
      return requestedArgs(from, data)
    case "tool.started":
      return startedHash(from, data)
    case "tool.finished":
      return finishedResult(from, data)
    case "usage":
      return usageRow(from, data)
    case "ask":
      return askPayload(from, data)
    case "task.completed":
      return completedResult(from, data)
    default:
      return Effect.succeed(data)
  }
}

/** The events of one task, whole, in the order of their rows. */
export const hydrate = (sql: SqlClient.SqlClient, taskId: TaskId.TaskId, rows: ReadonlyArray<EventColumns>) => {
  const from = source(sql, taskId)
  return Effect.forEach(rows, (row) =>
    Effect.map(
      fieldsOf(from, row.type, JSON.parse(row.data)),
      (fields) => ({ taskId, seq: row.seq, ts: row.ts, type: row.type, ...fields }) as Event.StoredEvent
    )
  )
}
