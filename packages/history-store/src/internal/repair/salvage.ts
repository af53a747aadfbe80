/**
 * Records rebuilt from the journal: `recordMissing` when a child's rows are there and its record is not, `recordDamaged` when it cannot be read.
 *
 * A record is put back only if the journal tells it without a gap and the row's own columns agree, so it is the record
 * that was there. What a missing row held besides is taken from the prompt and from the
 * parent, or a child.
 */
import { type Reconcile, TaskRecord, TaskId } from "@belay/task-state"
import { Replay } from "@belay/task-state/unstable"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { SqlError } from "effect/sql/SqlError"
import { type LeaseColumns, type MessageColumns, readableRecord, type RecordColumns } from "../records/rows.ts"
import * as Dialect from "../database/dialect.ts"
import { head, note, type Transaction } from "../writing/transaction.ts"

interface JournalColumns {
  readonly seq: number
  readonly ts: number
  readonly type: string
  readonly data: string
}

interface Journal {
  readonly origin: Replay.Origin
  readonly entries: ReadonlyArray<Replay.Entry>
}

const told = new Set<string>([
  "task.status",
  "task.completed",
  "task.deleted",
  "task.undeleted",
  "delegation.started",
  "delegation.collected"
])

const fields = (json: string): Record<string, unknown> => {
  const read = Result.try(() => JSON.parse(json) as unknown)
  return Result.isSuccess(read) && typeof read.success === "object" ? { ...read.success } : {}
}

/** Undefined when an event is missing, or the one that begins it. */
const journalOf = (rows: ReadonlyArray<JournalColumns>): Journal | undefined => {
  if (rows.some((row, index) => row.seq !== index + 1)) return undefined
  const created = rows.find((row) => row.type === "task.created")
  const { continuesTaskId, forkedFrom, origin } = fields(created?.data ?? "")
  if (typeof origin !== "object" || origin === null) return undefined
  const linked = {
    ...(continuesTaskId === undefined ? {} : { continuesTaskId }),
    ...(forkedFrom === undefined ? {} : { forkedFrom })
  }
  return {
    origin: { ...origin, ...linked } as Replay.Origin,
    entries: rows
      .filter((row) => told.has(row.type))
      .map((row) => ({ ...fields(row.data), type: row.type, ts: row.ts }) as Replay.Entry)
  }
}

const rowsOf = (tx: Transaction, key: number) => {
  const { sql } = tx
  return sql<JournalColumns>`SELECT seq, ts, type, data FROM task_event WHERE task = ${key} ORDER BY seq`
}

/** The record as a journal tells it. */
const tell = (tx: Transaction, rows: ReadonlyArray<JournalColumns>) =>
  Effect.gen(function* () {
    const { sql } = tx
    const journal = journalOf(rows)
    if (journal === undefined) return undefined
    const children = journal.entries.flatMap((entry) => (entry.type === "delegation.collected" ? [entry.childId] : []))
    const found = yield* sql.unsafe<RecordColumns>(
      `SELECT key, id, record FROM task WHERE id IN ${Dialect.of(sql).texts}`,
      [JSON.stringify(children)]
    )
    const records = new Map(found.map((row) => [row.id, readableRecord(row)]))
    // Fields of a damaged event may be of any type.
    const replayed = Result.try(() => Replay.replay(journal.origin, journal.entries, (id) => records.get(id)))
    return Result.isSuccess(replayed) ? replayed.success : undefined
  })

/** recordDamaged: puts a record back that cannot be read, once a copy of it is kept; false when the journal does not tell it. */
export const mend = (tx: Transaction, damaged: RecordColumns): Effect.Effect<string | undefined, SqlError> =>
  Effect.gen(function* () {
    const { sql } = tx
    const [row] = yield* sql<Pick<TaskRecord.TaskRecord, "rev" | "status" | "attempt">>`
      SELECT rev, status, attempt FROM task WHERE key = ${damaged.key}`
    const record = yield* tell(tx, yield* rowsOf(tx, damaged.key))
    if (row === undefined || record === undefined || record.id !== damaged.id) return undefined
    if (record.rev !== row.rev || record.status !== row.status || record.attempt !== row.attempt) return undefined
    yield* sql`UPDATE task SET record = ${JSON.stringify(TaskRecord.encode(record))} WHERE key = ${damaged.key}`
    tx.heads.delete(damaged.id)
    tx.records.set(damaged.id, record)
    const detail = "its record could not be read; it was rebuilt from its journal, and a copy was kept"
    const of = yield* head(tx, damaged.id)
    if (of !== undefined) note(tx, of, { type: "repaired", rule: "recordDamaged", detail })
    return detail
  })

/** What is there of a task whose row is not. */
export interface Trace {
  readonly key: number
  readonly record: TaskRecord.TaskRecord
}

export interface Search {
  readonly traces: ReadonlyMap<TaskId.TaskId, Trace>
  /** It may be there, or somebody may be at work on it: not absent. */
  readonly doubtful: ReadonlySet<TaskId.TaskId>
}

/** A record of which only its beginning is known: interrupted, at the highest attempt that has left a trace. */
const interrupted = (origin: Replay.Origin, rows: ReadonlyArray<JournalColumns>, lease: LeaseColumns | undefined) => {
  const attempts = rows.map((row) => Number(fields(row.data)["attempt"])).filter(Number.isSafeInteger)
  return {
    ...Replay.identityOf(origin),
    status: "interrupted",
    rev: rows.length + 1,
    attempt: Math.max(0, lease?.attempt ?? 0, ...attempts),
    awaiting: {},
    collected: {},
    interruption: { reason: "crash", from: "active" }
  } satisfies TaskRecord.Interrupted
}

const originIn = (row: JournalColumns | undefined): Replay.Origin | undefined => {
  const { origin } = fields(row?.data ?? "")
  return typeof origin === "object" && origin !== null ? (origin as Replay.Origin) : undefined
}

/** The keys that have events and no task, by one look-up a key. */
const orphans = (tx: Transaction) => {
  const { sql } = tx
  return sql.unsafe<{ key: number }>(`WITH RECURSIVE known (key) AS (
      SELECT min(task) FROM task_event
      UNION ALL SELECT (SELECT min(task) FROM task_event WHERE task > known.key) FROM known WHERE known.key IS NOT NULL)
    SELECT key FROM known WHERE key IS NOT NULL AND key NOT IN (SELECT key FROM task ${Dialect.of(sql).itself})`)
}

/**
 * Looks for tasks that others name and no index knows: nothing is given up for absent in a file that is damaged.
 */
export const search = (
  tx: Transaction,
  missing: ReadonlyArray<TaskId.TaskId>,
  alive: Reconcile.Facts["alive"]
): Effect.Effect<Search, SqlError> =>
  Effect.gen(function* () {
    const { sql } = tx
    const traces = new Map<TaskId.TaskId, Trace>()
    const { check: question, itself, texts } = Dialect.of(sql)
    const check = yield* sql.unsafe<{ quick_check: string }>(question)
    if (check[0]?.quick_check !== "ok") return { traces, doubtful: new Set(missing) }
    const unlisted = yield* sql.unsafe<{ id: TaskId.TaskId }>(`SELECT id FROM task ${itself} WHERE id IN ${texts}`, [
      JSON.stringify(missing)
    ])
    const doubtful = new Set(unlisted.map(({ id }) => id))
    for (const { key } of yield* orphans(tx)) {
      const rows = yield* rowsOf(tx, key)
      const origin = originIn(rows.find((row) => row.type === "task.created"))
      if (origin === undefined || !missing.includes(origin.id)) continue
      const [lease] = yield* sql<LeaseColumns>`SELECT owner_id, attempt, taken_at FROM lease WHERE task = ${key}`
      if (lease !== undefined && lease.owner_id !== tx.me && alive(lease.owner_id)) doubtful.add(origin.id)
      else traces.set(origin.id, { key, record: (yield* tell(tx, rows)) ?? interrupted(origin, rows, lease) })
    }
    return { traces, doubtful }
  })

/** recordMissing: the row of a task again, at the key that its messages, calls and events refer to. */
export const restore = (tx: Transaction, { key, record }: Trace): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const { sql } = tx
    const { parentId, rootId } = record.lineage
    const [prompt] = yield* sql<MessageColumns>`SELECT content FROM message WHERE task = ${key} ORDER BY idx LIMIT 1`
    const said = Result.try(() => (JSON.parse(prompt?.content ?? "[]") as ReadonlyArray<{ text?: string }>)[0]?.text)
    const title = (Result.isSuccess(said) ? (said.success ?? "") : "").split("\n")[0]?.slice(0, 80) ?? ""
    const { field, isReadable } = Dialect.of(sql)
    const modes = yield* sql.unsafe<{ mode: string | null }>(
      `SELECT CASE WHEN ${isReadable("data")} THEN coalesce(${field("data", "to")}, ${field("data", "mode")}) END AS mode
        FROM task_event WHERE task = ? AND type IN ('task.created', 'mode.changed') ORDER BY seq DESC LIMIT 1`,
      [key]
    )
    yield* sql`INSERT INTO task (key, id, rev, status, attempt, parent_id, root_id, record, created_at, title, mode,
        workspace, model, host, settings)
      SELECT ${key}, ${record.id}, ${record.rev}, ${record.status}, ${record.attempt}, ${parentId ?? null}, ${rootId},
        ${JSON.stringify(TaskRecord.encode(record))}, ${tx.now}, ${title}, ${modes[0]?.mode ?? "plan"},
        workspace, model, host, settings FROM task
      WHERE id = ${parentId ?? rootId} OR parent_id = ${record.id} ORDER BY id = ${parentId ?? rootId} DESC LIMIT 1`
    yield* sql`INSERT INTO task_metric (task, updated_at, last_seq, message_count, requests, cost_usd)
      SELECT ${key}, ${tx.now}, (SELECT coalesce(max(seq), 0) FROM task_event WHERE task = ${key}),
        (SELECT coalesce(max(idx), -1) + 1 FROM message WHERE task = ${key}),
        (SELECT count(*) FROM usage WHERE task = ${key}),
        (SELECT CASE WHEN count(*) = count(cost_usd) THEN coalesce(sum(cost_usd), 0) END FROM usage WHERE task = ${key})
      WHERE EXISTS (SELECT 1 FROM task WHERE key = ${key})
      ON CONFLICT (task) DO NOTHING`
    tx.heads.delete(record.id)
    tx.records.set(record.id, record)
  })
