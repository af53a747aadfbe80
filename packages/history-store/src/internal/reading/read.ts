/** Everything that is read; transcripts only when they are asked for. Nothing here writes. */
import { type Message, Usage } from "@belay/message-state"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as SqlClient from "effect/sql/SqlClient"
import type { Ownership } from "../../ownership/Ownership.ts"
import type * as History from "../../history/TaskHistory.ts"
import * as Answerer from "../records/answerer.ts"
import * as Attention from "./attention.ts"
import * as Context from "../writing/context.ts"
import { type EventColumns, hydrate } from "../records/hydrate.ts"
import * as Lists from "./lists.ts"
import * as Timeline from "./timeline.ts"
import * as Dialect from "../database/dialect.ts"
import { isKept } from "../writing/tombstone.ts"
import {
  type AskColumns,
  type CallColumns,
  conflictOf,
  type MessageColumns,
  messageOf,
  type MetricColumns,
  parseList,
  payloadOf
} from "../records/rows.ts"

interface FileColumns {
  readonly path: string
  readonly hash: string
  readonly told: 0 | 1
  readonly message_idx: number
  /** Not there in an older file. */
  readonly lines?: string | null
}

interface ChecklistColumns {
  readonly text: string
  readonly hash: string
  readonly items: string
  readonly updated_by: History.Checklist["by"]
  /** Absent in an older file. */
  readonly conflict?: string | null
}

const keyOf = (sql: SqlClient.SqlClient, id: TaskId.TaskId) => sql`(SELECT key FROM task WHERE id = ${id})`

/** What belongs to one task. */
const makeParts = (sql: SqlClient.SqlClient) => {
  const { field } = Dialect.of(sql)

  const messages = (id: TaskId.TaskId) =>
    Effect.map(
      sql<MessageColumns>`SELECT * FROM message
        WHERE task = ${keyOf(sql, id)} ORDER BY idx`,
      (rows) => rows.map((found): Message.LoggedMessage => ({ index: found.idx, ...messageOf(found, id) }))
    )

  const calls = (id: TaskId.TaskId) =>
    Effect.map(
      sql<CallColumns>`SELECT message_idx, position, call_id, name, args_hash, state, is_error, result FROM tool_call
        WHERE task = ${keyOf(sql, id)} ORDER BY message_idx, position`,
      (rows) =>
        rows.map((found): History.ToolCall => ({
          messageIndex: found.message_idx,
          callId: found.call_id,
          name: found.name,
          argsHash: found.args_hash,
          state: found.state
        }))
    )

  const asks = (id: TaskId.TaskId) =>
    Effect.map(
      sql.unsafe<AskColumns & { readonly process: string | null }>(
        `SELECT a.*, (SELECT ${field("e.data", "process")} FROM task_event e
          WHERE e.task = a.task AND e.type = 'ask.settled' AND ${field("e.data", "askId")} = a.ask_id) AS process
        FROM ask a WHERE a.task = (SELECT key FROM task WHERE id = ?) ORDER BY a.rowid`,
        [id]
      ),
      (rows) =>
        rows.map((found): History.Ask => ({
          askId: found.ask_id,
          kind: found.kind,
          attempt: found.attempt,
          callId: found.call_id,
          payload: payloadOf(found, id),
          open: found.open === 1,
          decision: found.decision,
          text: found.answer,
          by: found.settled_by,
          process: Answerer.read(found.process)
        }))
    )

  const checklist = (id: TaskId.TaskId) =>
    Effect.map(sql<ChecklistColumns>`SELECT * FROM focus_chain WHERE task = ${keyOf(sql, id)}`, (rows) =>
      Option.map(Option.fromUndefinedOr(rows[0]), (found): History.Checklist => ({
        text: found.text,
        hash: found.hash,
        items: parseList(found.items, `the checklist of task ${id}`, id) as unknown as History.Checklist["items"],
        by: found.updated_by,
        ...(typeof found.conflict === "string" ? { conflict: conflictOf(found.conflict, id) } : {})
      }))
    )

  const files = (id: TaskId.TaskId) =>
    Effect.map(
      sql<FileColumns>`SELECT f.* FROM file_context f WHERE task = ${keyOf(sql, id)}
        AND NOT EXISTS (SELECT 1 FROM context_edit c WHERE c.task = f.task AND c.kind = 'cut' AND c.removed = 0
          AND f.message_idx BETWEEN c.from_idx AND c.to_idx) ORDER BY message_idx`,
      (rows) => {
        const known = new Map<string, History.KnownFile>()
        for (const { hash, lines, message_idx, path, told } of rows) {
          const before = known.get(path)
          const seen = told === 1 ? before?.seen : hash
          const ofSeen = told === 1 ? before?.lines : (lines ?? undefined)
          known.delete(path)
          known.set(path, {
            path,
            seen,
            ...(ofSeen === undefined ? {} : { lines: ofSeen }),
            told: hash,
            messageIndex: message_idx
          })
        }
        return [...known.values()]
      }
    )

  const events = (id: TaskId.TaskId, from: number, limit: number) =>
    Effect.flatMap(
      sql<EventColumns>`SELECT task AS key, seq, ts, type, data FROM task_event
        WHERE task = ${keyOf(sql, id)} AND seq >= ${from} ORDER BY seq LIMIT ${limit}`,
      (rows) => hydrate(sql, id, rows)
    )

  return { messages, calls, asks, checklist, files, events }
}

type Totals = Pick<MetricColumns, "input_tokens" | "output_tokens" | "cache_read_tokens" | "cache_write_tokens"> & {
  readonly cost_usd: number
  readonly requests: number
  readonly unpriced: number
}

/** Down from the task, by lineage, whoever waits for whom. */
const treeUsage = (sql: SqlClient.SqlClient, root: TaskId.TaskId) =>
  Effect.map(
    sql<Totals>`WITH RECURSIVE tree (key, id) AS (
        SELECT key, id FROM task WHERE id = ${root}
        UNION SELECT t.key, t.id FROM task t JOIN tree ON t.parent_id = tree.id)
      SELECT coalesce(sum(input_tokens), 0) AS input_tokens, coalesce(sum(output_tokens), 0) AS output_tokens,
        coalesce(sum(cache_read_tokens), 0) AS cache_read_tokens,
        coalesce(sum(cache_write_tokens), 0) AS cache_write_tokens, coalesce(sum(cost_usd), 0) AS cost_usd,
        coalesce(sum(requests), 0) AS requests, count(*) - count(cost_usd) AS unpriced
      FROM tree JOIN task_metric m ON m.task = tree.key`,
    (rows): Usage.UsageTotal => {
      const found = rows[0]
      if (found === undefined) return Usage.nothingSpent
      return {
        inputTokens: found.input_tokens,
        outputTokens: found.output_tokens,
        cacheReadTokens: found.cache_read_tokens,
        cacheWriteTokens: found.cache_write_tokens,
        costUsd: found.unpriced > 0 ? null : found.cost_usd,
        requests: found.requests
      }
    }
  )

/** Ids grow with time. */
const continuation = (sql: SqlClient.SqlClient, id: TaskId.TaskId) =>
  Effect.map(
    sql.unsafe<{ id: TaskId.TaskId }>(
      `SELECT id FROM task WHERE ${Dialect.of(sql).ofRecord("record", "continuesTaskId")} = ?
        AND ${isKept(Dialect.of(sql), "record")} ORDER BY id DESC LIMIT 1`,
      [id]
    ),
    (rows) => Option.map(Option.fromUndefinedOr(rows[0]), (row) => row.id)
  )

const leasesOf = (sql: SqlClient.SqlClient, ownerId: string) =>
  Effect.map(
    sql<{ id: TaskId.TaskId; attempt: number }>`SELECT t.id, l.attempt FROM lease l JOIN task t ON t.key = l.task
      WHERE l.owner_id = ${ownerId}`,
    (rows): ReadonlyMap<TaskId.TaskId, number> => new Map(rows.map(({ attempt, id }) => [id, attempt]))
  )

export const make = (sql: SqlClient.SqlClient, ownership: Ownership["Service"]) => ({
  ...Lists.make(sql, ownership),
  ...makeParts(sql),
  shown: (id: TaskId.TaskId) => Context.shown(sql, id),
  timeline: (id: TaskId.TaskId, query: History.TimelineQuery) => Timeline.page(sql, id, query),
  outline: (id: TaskId.TaskId) => Timeline.outline(sql, id),
  treeUsage: (root: TaskId.TaskId) => treeUsage(sql, root),
  continuation: (id: TaskId.TaskId) => continuation(sql, id),
  attention: Attention.read(sql),
  leases: leasesOf(sql, ownership.row.ownerId)
})
