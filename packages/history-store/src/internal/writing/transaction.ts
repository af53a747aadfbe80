/**
 * One open transaction: the heads of the tasks it touches, and the events it will have caused.
 *
 * Heads are read once, events are inserted and counters updated once, at the end, so a commit costs what it appends.
 */
import { Usage } from "@belay/message-state"
import { Command, type TaskId, TaskRecord, type TaskStateMachine } from "@belay/task-state"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type * as Event from "../../history/Event.ts"
import type { OwnerRow } from "../../history/Owner.ts"
import type * as Reservation from "../../history/Reservation.ts"
import * as Answerer from "../records/answerer.ts"
import { type LeaseColumns, leaseOf, type MetricColumns, type RecordColumns, recordOf } from "../records/rows.ts"
import * as Dialect from "../database/dialect.ts"
import type { Statements } from "../database/statements.ts"

/** What a commit knows of one task. */
export interface Head {
  readonly id: TaskId.TaskId
  /** The task's row; its child tables refer to it. */
  readonly key: number
  record: TaskRecord.TaskRecord
  lease: TaskRecord.Lease | undefined
  metric: MetricColumns
  touched: boolean
  /** This transaction has taken its lease. */
  taken?: true
}

/** How an event is stored: without what another row holds. */
type Compact = Readonly<Record<string, unknown>>

interface Pending {
  readonly event: Event.StoredEvent
  readonly compact: Compact
}

export interface Transaction {
  readonly sql: Statements
  readonly me: string
  /** What this process is, such as "cli". */
  readonly kind: string
  /** This process, as an answer that is given in it names it. */
  readonly process: Event.Answerer
  readonly now: number
  readonly alive: (ownerId: string) => boolean
  /** Decides what the transaction writes of records. */
  readonly machine: TaskStateMachine["Service"]
  readonly heads: Map<TaskId.TaskId, Head | undefined>
  readonly pending: Array<Pending>
  readonly records: Map<TaskId.TaskId, TaskRecord.TaskRecord>
  /** What became of a reservation that it was to make. */
  reserved?: Reservation.Reserved
}

export const make = (
  sql: Statements,
  row: OwnerRow,
  now: number,
  alive: (ownerId: string) => boolean,
  machine: TaskStateMachine["Service"]
): Transaction => ({
  sql,
  me: row.ownerId,
  kind: row.kind,
  process: Answerer.of(row),
  now,
  alive,
  machine,
  heads: new Map(),
  pending: [],
  records: new Map()
})

export const freshMetric = (now: number): MetricColumns => ({
  last_seq: 0,
  message_count: 0,
  updated_at: now,
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  cost_usd: 0,
  requests: 0,
  context_tokens: 0,
  checklist_done: null,
  checklist_total: null
})

type HeadColumns = RecordColumns & MetricColumns & { readonly [K in keyof LeaseColumns]: LeaseColumns[K] | null }

const hasLease = (row: HeadColumns): row is HeadColumns & LeaseColumns => row.owner_id !== null

const headOf = (row: HeadColumns): Head => ({
  id: row.id,
  key: row.key,
  record: recordOf(row),
  lease: hasLease(row) ? leaseOf(row.id, row) : undefined,
  metric: row,
  touched: false
})

/** The head of a task, read at most once in a transaction; `undefined` when there is no such task. */
export const head = (tx: Transaction, id: TaskId.TaskId): Effect.Effect<Head | undefined, SqlError> => {
  if (tx.heads.has(id)) return Effect.succeed(tx.heads.get(id))
  const { sql } = tx
  return Effect.map(
    sql<HeadColumns>`SELECT t.key, t.id, t.record, m.*, l.owner_id, l.attempt, l.taken_at
      FROM task t JOIN task_metric m ON m.task = t.key LEFT JOIN lease l ON l.task = t.key WHERE t.id = ${id}`,
    (rows) => {
      const found = rows[0] && headOf(rows[0])
      tx.heads.set(id, found)
      return found
    }
  )
}

/** The row of a new task, whose key it gives. */
export const insertRow = ({ sql }: Transaction, record: TaskRecord.TaskRecord, createdAt: number) =>
  Effect.map(
    sql.unsafe<{ key: number }>(
      `INSERT INTO task (key, id, rev, status, attempt, parent_id, root_id, record, created_at)
        VALUES (${Dialect.of(sql).nextKey}, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING key`,
      [
        record.id,
        record.rev,
        record.status,
        record.attempt,
        record.lineage.parentId ?? null,
        record.lineage.rootId,
        JSON.stringify(TaskRecord.encode(record)),
        createdAt
      ]
    ),
    (rows) => rows[0]?.key ?? 0
  )

/** The head of a task whose runner writes. Errors: `LeaseLost` when another attempt or process has it. */
export const fenced = (tx: Transaction, step: { readonly taskId: TaskId.TaskId; readonly attempt: number }) =>
  Effect.flatMap(head(tx, step.taskId), (found) => {
    if (found === undefined) return Effect.fail(Command.rejected(step.taskId, "Write", "absent", "NotFound"))
    if (found.record.attempt !== step.attempt || found.lease?.ownerId !== tx.me) {
      return Effect.fail(Command.rejected(step.taskId, "Write", found.record.status, "LeaseLost"))
    }
    return Effect.succeed(found)
  })

/** Notes an event of a task; `compact` is what is stored of it. */
export const note = (tx: Transaction, of: Head, body: Event.EventBody, compact: Compact = body): void => {
  const seq = of.metric.last_seq + 1
  of.metric = { ...of.metric, last_seq: seq, updated_at: tx.now }
  of.touched = true
  tx.pending.push({ event: { taskId: of.id, seq, ts: tx.now, ...body }, compact })
}

/** Adds one model call to the counters of a task. */
export const spend = (of: Head, usage: Usage.Usage, costUsd: number | null): void => {
  const { metric } = of
  of.touched = true
  of.metric = {
    ...metric,
    input_tokens: metric.input_tokens + usage.inputTokens,
    output_tokens: metric.output_tokens + usage.outputTokens,
    cache_read_tokens: metric.cache_read_tokens + usage.cacheReadTokens,
    cache_write_tokens: metric.cache_write_tokens + usage.cacheWriteTokens,
    cost_usd: costUsd === null || metric.cost_usd === null ? null : metric.cost_usd + costUsd,
    requests: metric.requests + 1,
    context_tokens: Usage.contextTokens(usage)
  }
}

const { stringify } = JSON

const without = (compact: Compact): string => {
  const { type: _type, ...rest } = compact
  return stringify(rest)
}

const insertEvents = (tx: Transaction): Effect.Effect<unknown, SqlError> => {
  // A task that this commit removed takes its events with it.
  const pending = tx.pending.filter(({ event }) => tx.heads.get(event.taskId) !== undefined)
  if (pending.length === 0) return Effect.void
  const places = pending.map(() => "(?, ?, ?, ?, ?)").join(", ")
  const params = pending.flatMap(({ compact, event }) => [
    tx.heads.get(event.taskId)?.key,
    event.seq,
    event.ts,
    event.type,
    without(compact)
  ])
  return tx.sql.unsafe(`INSERT INTO task_event (task, seq, ts, type, data) VALUES ${places}`, params)
}

const updateMetric = (tx: Transaction, of: Head) => {
  const { sql } = tx
  const m = of.metric
  return sql`UPDATE task_metric SET last_seq = ${m.last_seq}, message_count = ${m.message_count},
    updated_at = ${m.updated_at}, input_tokens = ${m.input_tokens}, output_tokens = ${m.output_tokens},
    cache_read_tokens = ${m.cache_read_tokens}, cache_write_tokens = ${m.cache_write_tokens},
    cost_usd = ${m.cost_usd}, requests = ${m.requests}, context_tokens = ${m.context_tokens},
    checklist_done = ${m.checklist_done}, checklist_total = ${m.checklist_total} WHERE task = ${of.key}`
}

/** Who has run the task is known by kind when its process is gone; a visit that takes and leaves it has not run it. */
const noteHost = (tx: Transaction, of: Head) => {
  const { sql } = tx
  return of.taken === true && of.lease?.ownerId === tx.me
    ? sql`UPDATE task SET host = ${tx.kind} WHERE key = ${of.key}`
    : Effect.void
}

/** Writes events, counters and hosts; the last thing of a transaction. */
export const flush = (tx: Transaction): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    yield* insertEvents(tx)
    for (const of of tx.heads.values()) {
      if (of === undefined) continue
      if (of.touched) yield* updateMetric(tx, of)
      yield* noteHost(tx, of)
    }
  })
