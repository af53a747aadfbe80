/** Everything that is read: columns for lists, transcripts only when they are asked for. Nothing here writes. */
import type { Message, Usage } from "@belay/message-state"
import { Derived, type TaskId, type TaskRecord } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as SqlClient from "effect/sql/SqlClient"
import type { Owner } from "../Owner.ts"
import type * as History from "../TaskHistory.ts"
import { type EventColumns, hydrate } from "./hydrate.ts"
import type { MetricColumns, OwnerColumns, TaskColumns } from "./rows.ts"
import { leaseOf, metaOf, ownerOf, recordOf, usageOf } from "./rows.ts"

type RowColumns = TaskColumns &
  MetricColumns & {
    readonly lease_owner: string | null
    readonly lease_attempt: number
    readonly taken_at: number
    readonly open_asks: number
  } & { readonly [K in keyof OwnerColumns as `owner_${K}`]: OwnerColumns[K] | null }

const columns = `t.id, t.record, t.title, t.workspace, t.mode, t.model, t.host, t.settings, t.created_at, m.*,
  l.owner_id AS lease_owner, l.attempt AS lease_attempt, l.taken_at,
  o.owner_id AS owner_owner_id, o.machine_id AS owner_machine_id, o.boot_id AS owner_boot_id,
  o.pid_namespace AS owner_pid_namespace, o.pid AS owner_pid, o.kind AS owner_kind, o.host AS owner_host,
  (SELECT count(*) FROM ask a WHERE a.task_id = t.id AND a.open = 1) AS open_asks`

const tables = `task t JOIN task_metric m ON m.task_id = t.id LEFT JOIN lease l ON l.task_id = t.id
  LEFT JOIN owner o ON o.owner_id = l.owner_id`

export const make = (sql: SqlClient.SqlClient, owner: Owner["Service"], path: string) => {
  const leaseFact = (row: RowColumns) =>
    Effect.gen(function* () {
      if (row.lease_owner === null) return null
      const holder = ownerOf({
        owner_id: row.lease_owner,
        machine_id: row.owner_machine_id ?? "",
        boot_id: row.owner_boot_id ?? "",
        pid_namespace: row.owner_pid_namespace ?? "",
        pid: row.owner_pid ?? 0,
        kind: row.owner_kind ?? "",
        host: row.owner_host ?? ""
      })
      // A lease without an owner row is left behind by a deletion that found its owner dead.
      const alive = row.owner_owner_id !== null && (yield* owner.alive(holder))
      const lease = leaseOf({
        task_id: row.id,
        owner_id: row.lease_owner,
        attempt: row.lease_attempt,
        taken_at: row.taken_at
      })
      return { ...lease, owner: holder, alive }
    })

  /** The records below these, as far as their derived states depend on them. */
  const awaitedBelow = (rows: ReadonlyArray<RowColumns>) =>
    Effect.gen(function* () {
      const known = new Map<TaskId.TaskId, TaskRecord.TaskRecord>()
      const running = new Set<TaskId.TaskId>()
      const roots = new Set(rows.filter((row) => recordOf(row.record).status === "delegated").map((row) => row.id))
      let parents = [...roots]
      while (parents.length > 0) {
        const below = yield* sql<{ id: TaskId.TaskId; record: string }>`SELECT id, record FROM task
          WHERE parent_id IN ${sql.in(parents)}`
        parents = []
        for (const row of below) {
          if (known.has(row.id)) continue
          const record = recordOf(row.record)
          known.set(row.id, record)
          if (record.status === "delegated") parents.push(row.id)
        }
      }
      return { known, running }
    })

  const assemble = (rows: ReadonlyArray<RowColumns>) =>
    Effect.gen(function* () {
      const { known, running } = yield* awaitedBelow(rows)
      const leases = yield* Effect.forEach(rows, leaseFact)
      rows.forEach((row, index) => {
        known.set(row.id, recordOf(row.record))
        if (leases[index]?.alive === true) running.add(row.id)
      })
      const facts: Derived.Facts = { task: (id) => known.get(id), running: (id) => running.has(id) }
      return rows.map((row, index): History.TaskRow => {
        const record = recordOf(row.record)
        const total = row.checklist_total
        return {
          record,
          meta: metaOf(row),
          createdAt: row.created_at,
          updatedAt: row.updated_at,
          lastSeq: row.last_seq,
          messageCount: row.message_count,
          usage: usageOf(row),
          contextTokens: row.context_tokens,
          checklist: total === null ? null : { done: row.checklist_done ?? 0, total },
          derived: Derived.derive(record, facts),
          lease: leases[index] ?? null,
          openAsks: row.open_asks
        }
      })
    })

  const select = (where: string, params: ReadonlyArray<unknown>) =>
    Effect.flatMap(sql.unsafe<RowColumns>(`SELECT ${columns} FROM ${tables} WHERE ${where}`, params), assemble)

  const row = (id: TaskId.TaskId) => Effect.map(select("t.id = ?", [id]), (rows) => Option.fromUndefinedOr(rows[0]))

  const children = (id: TaskId.TaskId) => select("t.parent_id = ? ORDER BY t.created_at, t.rowid", [id])

  const list = (query: History.Query) =>
    Effect.gen(function* () {
      const where: Array<string> = ["1 = 1"]
      const params: Array<unknown> = []
      const filter = (text: string, ...values: ReadonlyArray<unknown>) => {
        where.push(text)
        params.push(...values)
      }
      if (query.status !== undefined) filter("t.status = ?", query.status)
      if (query.workspace !== undefined) filter("t.workspace = ?", query.workspace)
      if (query.since !== undefined) filter("m.updated_at >= ?", query.since)
      if (query.rootsOnly === true) filter("t.parent_id IS NULL")
      if (query.cursor !== undefined) {
        const at = query.cursor.indexOf("~")
        filter("(m.updated_at, m.task_id) < (?, ?)", Number(query.cursor.slice(0, at)), query.cursor.slice(at + 1))
      }
      const order = "ORDER BY m.updated_at DESC, m.task_id DESC LIMIT ?"
      const rows = yield* select(`${where.join(" AND ")} ${order}`, [...params, query.limit + 1])
      const page = rows.slice(0, query.limit)
      const last = page.at(-1)
      return rows.length > query.limit && last !== undefined
        ? { rows: page, nextCursor: `${last.updatedAt}~${last.record.id}` }
        : { rows: page }
    })

  const find = (prefix: string, limit: number) =>
    Effect.map(
      sql<{ id: TaskId.TaskId }>`SELECT id FROM task WHERE substr(id, 1, ${prefix.length}) = ${prefix}
        ORDER BY id LIMIT ${limit}`,
      (rows) => rows.map((found) => found.id)
    )

  const messages = (id: TaskId.TaskId) =>
    Effect.map(
      sql<{ idx: number; role: Message.Role; content: string }>`SELECT idx, role, content FROM message
        WHERE task_id = ${id} ORDER BY idx`,
      (rows) =>
        rows.map((found): Message.LoggedMessage => ({
          index: found.idx,
          role: found.role,
          content: JSON.parse(found.content)
        }))
    )

  const calls = (id: TaskId.TaskId) =>
    Effect.map(
      sql<any>`SELECT message_idx, call_id, name, args_hash, state FROM tool_call
        WHERE task_id = ${id} ORDER BY message_idx, position`,
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
    Effect.map(sql<any>`SELECT * FROM ask WHERE task_id = ${id} ORDER BY rowid`, (rows) =>
      rows.map((found): History.Ask => ({
        askId: found.ask_id,
        kind: found.kind,
        attempt: found.attempt,
        callId: found.call_id,
        payload: JSON.parse(found.payload),
        open: found.open === 1,
        decision: found.decision,
        text: found.answer
      }))
    )

  const checklist = (id: TaskId.TaskId) =>
    Effect.map(sql<any>`SELECT text, hash, items, updated_by FROM focus_chain WHERE task_id = ${id}`, (rows) =>
      Option.map(Option.fromUndefinedOr(rows[0]), (found): History.Checklist => ({
        text: found.text,
        hash: found.hash,
        items: JSON.parse(found.items),
        by: found.updated_by
      }))
    )

  const events = (id: TaskId.TaskId, from: number, limit: number) =>
    Effect.flatMap(
      sql<EventColumns>`SELECT task_id, seq, ts, type, data FROM task_event
        WHERE task_id = ${id} AND seq >= ${from} ORDER BY seq LIMIT ${limit}`,
      (rows) => hydrate(sql, id, rows)
    )

  const treeUsage = (root: TaskId.TaskId) =>
    Effect.map(
      sql<MetricColumns & { unpriced: number }>`SELECT sum(input_tokens) AS input_tokens,
          sum(output_tokens) AS output_tokens, sum(cache_read_tokens) AS cache_read_tokens,
          sum(cache_write_tokens) AS cache_write_tokens, sum(cost_usd) AS cost_usd, sum(requests) AS requests,
          sum(cost_usd IS NULL) AS unpriced
        FROM task t JOIN task_metric m ON m.task_id = t.id WHERE t.root_id = ${root}`,
      (rows): Usage.UsageTotal => {
        const found = rows[0]
        if (found?.requests == null) return { ...usageOf(emptyTree), costUsd: 0 }
        return { ...usageOf(found), costUsd: found.unpriced > 0 ? null : found.cost_usd }
      }
    )

  const version = Effect.map(sql<{ data_version: number }>`PRAGMA data_version`, (rows) => rows[0]?.data_version ?? 0)

  return { row, list, children, find, messages, calls, asks, checklist, events, treeUsage, version, path }
}

const emptyTree: MetricColumns = {
  last_seq: 0,
  message_count: 0,
  updated_at: 0,
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  cost_usd: 0,
  requests: 0,
  context_tokens: 0,
  checklist_done: null,
  checklist_total: null
}
