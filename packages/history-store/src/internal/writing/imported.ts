/**
 * A task of another program as rows: the same as if its log had been written here, with the times it had there.
 *
 * Its journal begins with its record, which no earlier event tells. A log can be long, so rows go in one statement a table.
 */
import { Message } from "@belay/message-state"
import { Command, Journal, TaskRecord } from "@belay/task-state"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type * as Import from "../../history/Import.ts"
import type * as Step from "../../history/Step.ts"
import * as Calls from "./calls.ts"
import * as Context from "./context.ts"
import { forget } from "../database/searchPlaces.ts"
import * as Dialect from "../database/dialect.ts"
import type { Statements } from "../database/statements.ts"
import { freshMetric, head, type Head, insertRow, spend, type Transaction } from "./transaction.ts"

type Row = ReadonlyArray<string | number | null>
type Said = Extract<Import.Entry, { readonly message: unknown }>

/** The rows of one task, and its counters. */
interface Rows {
  readonly events: Array<Row>
  /** Each by its index. */
  readonly messages: Array<Message.Message>
  readonly calls: Array<Row>
  readonly usage: Array<Row>
}

const { stringify } = JSON

const isSaid = (entry: Import.Entry | undefined): entry is Said => entry !== undefined && "message" in entry

/** The results of each message's calls stand in the next message that is said. */
const resultsAfter = (log: ReadonlyArray<Import.Entry>, from: number): ReadonlyMap<string, Message.ToolResultBlock> => {
  let place = from + 1
  while (place < log.length && !isSaid(log[place])) place++
  const next = log[place]
  const blocks = isSaid(next) && next.message.role === "user" ? next.message.content : []
  return new Map(blocks.flatMap((block) => (block.type === "tool_result" ? [[block.tool_use_id, block] as const] : [])))
}

const stateOf = (
  entry: Said,
  callId: string,
  answer: Message.ToolResultBlock | undefined,
  stored: Step.CallResult | undefined
) => {
  if (answer !== undefined) return { state: "finished", isError: answer.is_error === true ? 1 : 0, result: null }
  if (stored === undefined) {
    return { state: entry.requested?.includes(callId) === true ? "requested" : "started", isError: null, result: null }
  }
  return { state: stored.state, isError: stored.isError ? 1 : 0, result: stringify(stored.content) }
}

/** Tells events in order, each at its time. */
const teller = (of: Head, events: Array<Row>) => (at: number, type: string, data: object) => {
  of.metric = { ...of.metric, last_seq: of.metric.last_seq + 1 }
  events.push([of.metric.last_seq, at, type, stringify(data)])
}

type Tell = ReturnType<typeof teller>

const callRows = (entry: Said, index: number, answers: ReturnType<typeof resultsAfter>, rows: Rows, tell: Tell) => {
  const calls = Message.toolUses(entry.message).map(({ id, name }, position) => {
    const found = stateOf(
      entry,
      id,
      answers.get(id),
      entry.results?.find(({ callId }) => callId === id)
    )
    rows.calls.push([index, position, id, name, "", found.state, found.isError, found.result])
    return { ...found, at: { m: index, p: position } }
  })
  for (const { at } of calls) tell(entry.at, "tool.requested", at)
  for (const { at, state } of calls) if (state !== "requested") tell(entry.at, "tool.started", at)
  for (const { at, isError } of calls) if (isError !== null) tell(entry.at, "tool.finished", at)
}

const eventsOf = (before: TaskRecord.TaskRecord | undefined, after: TaskRecord.TaskRecord, me: string) =>
  Journal.eventsOf({ command: "Import", before, after, lease: "keep" }, me)

const rowsOf = (task: Import.Task, of: Head): Rows => {
  const rows: Rows = { events: [], messages: [], calls: [], usage: [] }
  const tell = teller(of, rows.events)
  const began = { mode: task.meta.mode, origin: TaskRecord.encode(of.record) }
  for (const { type, ...created } of eventsOf(undefined, of.record, "")) {
    tell(task.createdAt, type, { ...created, ...began })
  }
  for (const [place, entry] of task.log.entries()) {
    if (!isSaid(entry)) {
      spend(of, entry.usage, entry.costUsd)
      const { cacheReadTokens, cacheWriteTokens, inputTokens, outputTokens } = entry.usage
      const n = of.metric.requests
      rows.usage.push([n, entry.model, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, entry.costUsd])
      tell(entry.at, "usage", { n })
      continue
    }
    const index = of.metric.message_count
    of.metric = { ...of.metric, message_count: index + 1 }
    rows.messages.push(entry.message)
    tell(entry.at, "message", { i: index })
    if (entry.message.role === "assistant") callRows(entry, index, resultsAfter(task.log, place), rows, tell)
  }
  return rows
}

/** What people see of its links and its state; a journal is told from the record that it begins with. */
const tellState = (record: TaskRecord.TaskRecord, at: number, me: string, tell: Tell) => {
  const before: TaskRecord.TaskRecord = {
    status: "created",
    id: record.id,
    rev: record.rev,
    lineage: record.lineage,
    createdBy: record.createdBy,
    attempt: 0
  }
  for (const { type, ...data } of eventsOf(before, record, me)) {
    tell(at, type, type === "task.status" ? { ...data, from: null } : data)
  }
}

/** Characters of the rows that go into one statement. */
const batch = 4 * 1024 * 1024

/** Rows in runs of a bounded length, a longer row alone. */
function* batches(rows: Iterable<Row>): Generator<ReadonlyArray<Row>> {
  let [run, length]: [Array<Row>, number] = [[], 0]
  for (const row of rows) {
    const own = row.reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 8), 0)
    if (run.length > 0 && length + own > batch) {
      yield run
      run = []
      length = 0
    }
    run.push(row)
    length += own
  }
  if (run.length > 0) yield run
}

const columnsOf = {
  task_event: { seq: "BIGINT", ts: "BIGINT", type: "TEXT", data: "TEXT" },
  message: { idx: "BIGINT", role: "TEXT", content: "TEXT" },
  tool_call: {
    message_idx: "BIGINT",
    position: "BIGINT",
    call_id: "TEXT",
    name: "TEXT",
    args_hash: "TEXT",
    state: "TEXT",
    is_error: "BIGINT",
    result: "TEXT"
  },
  usage: {
    n: "BIGINT",
    model: "TEXT",
    input_tokens: "BIGINT",
    output_tokens: "BIGINT",
    cache_read_tokens: "BIGINT",
    cache_write_tokens: "BIGINT",
    cost_usd: "DOUBLE PRECISION"
  }
} as const

/** Few statements, however many rows there are. */
const insertAll = (
  sql: Statements,
  table: string,
  columns: Readonly<Record<string, "BIGINT" | "TEXT" | "DOUBLE PRECISION">>,
  key: number,
  rows: Iterable<Row>
) => {
  const { listed, lists } = Dialect.of(sql)
  const names = Object.keys(columns).join(", ")
  const values = Object.values(columns).map((type, place) => `CAST(r.value ->> ${place} AS ${type})`)
  const statement = `INSERT INTO ${table} (task, ${names}) SELECT CAST(? AS BIGINT), ${values.join(", ")}
    FROM ${lists("r")}`
  return Effect.forEach(batches(rows), (run) => sql.unsafe(statement, [key, listed(run)]), { discard: true })
}

/** Their texts are made one after the other: together they can be as long as all memory. */
function* messageRows(messages: ReadonlyArray<Message.Message>): Generator<Row> {
  for (const [index, { content, role }] of messages.entries()) yield [index, role, stringify(content)]
}

const insertTask = (tx: Transaction, { createdAt, meta, record, updatedAt }: Import.Task) =>
  Effect.gen(function* () {
    const { sql } = tx
    const key = yield* insertRow(tx, record, createdAt)
    yield* sql`UPDATE task SET title = ${meta.title}, workspace = ${meta.workspace}, mode = ${meta.mode},
      model = ${meta.model}, host = ${meta.host}, settings = ${stringify(meta.settings)} WHERE key = ${key}`
    yield* sql`INSERT INTO task_metric (task, updated_at) VALUES (${key}, ${updatedAt})`
    const metric = freshMetric(updatedAt)
    const of: Head = { id: record.id, key, record, lease: undefined, metric, touched: true }
    tx.heads.set(record.id, of)
    tx.records.set(record.id, record)
    return of
  })

/** Nobody has run, renamed or told it anything since it was taken over. */
const isUntouched = ({ sql }: Transaction, of: Head) =>
  Effect.gen(function* () {
    if (of.lease !== undefined || of.record.attempt > 1 || TaskRecord.isTombstone(of.record)) return false
    const renamed = yield* sql`SELECT 1 FROM task_event WHERE task = ${of.key} AND type = 'task.renamed' LIMIT 1`
    const told = yield* sql`SELECT 1 FROM inbox WHERE task = ${of.key} AND id NOT LIKE 'import-%' LIMIT 1`
    return renamed.length === 0 && told.length === 0
  })

/** What its parent and its subtasks have of it, where somebody has worked with them since, still holds with its new record. */
const agrees = (tx: Transaction, before: TaskRecord.TaskRecord, after: TaskRecord.TaskRecord) =>
  Effect.gen(function* () {
    const { parentId } = before.lineage
    const parent = parentId === undefined ? undefined : yield* head(tx, parentId)
    const isKept = parent !== undefined && !(yield* isUntouched(tx, parent))
    if (isKept && (before.status !== after.status || after.lineage.parentId !== parentId)) return false
    for (const id of TaskRecord.collectedIds(after)) {
      const child = yield* head(tx, id)
      const succeeded = TaskRecord.collectedEntry(after, id)?.outcome === "succeeded"
      if (succeeded && child !== undefined && child.record.status !== "completed") return false
    }
    return true
  })

/** Makes room for a task that is taken over again. False when what is there stays. */
const makeRoom = (tx: Transaction, { again, record, source }: Import.Task) =>
  Effect.gen(function* () {
    const { sql } = tx
    const there = again === true ? yield* head(tx, record.id) : undefined
    if (there === undefined || !(yield* isUntouched(tx, there))) return false
    if (!(yield* agrees(tx, there.record, record))) return false
    yield* forget(sql, there.key)
    yield* sql`DELETE FROM task WHERE key = ${there.key}`
    yield* sql`DELETE FROM imported WHERE root = ${source.root} AND source_id = ${source.id}`
    tx.heads.delete(record.id)
    return true
  })

/** Takes a task over; one that was taken before stays as it is, unless it is taken again. Errors: `ChildExists` when its id is not free. */
export const take = (tx: Transaction, task: Import.Task): Effect.Effect<void, Command.TransitionRejected | SqlError> =>
  Effect.gen(function* () {
    const { sql } = tx
    const { agent, digest, id, root } = task.source
    const known = yield* sql`SELECT 1 FROM imported WHERE root = ${root} AND source_id = ${id}`
    if (known.length > 0 && !(yield* makeRoom(tx, task))) return
    const there = yield* head(tx, task.record.id)
    if (there !== undefined) {
      return yield* Command.rejected(task.record.id, "Import", there.record.status, "ChildExists")
    }
    const of = yield* insertTask(tx, task)
    const rows = rowsOf(task, of)
    tellState(task.record, task.updatedAt, tx.me, teller(of, rows.events))
    yield* insertAll(sql, "task_event", columnsOf.task_event, of.key, rows.events)
    yield* insertAll(sql, "message", columnsOf.message, of.key, messageRows(rows.messages))
    yield* insertAll(sql, "tool_call", columnsOf.tool_call, of.key, rows.calls)
    yield* insertAll(sql, "usage", columnsOf.usage, of.key, rows.usage)
    if (task.edits !== undefined) yield* Context.insertAll(tx, of, task.edits)
    for (const [n, { attached, text }] of (task.said ?? []).entries()) {
      const said = { _tag: "Say", taskId: of.id, attempt: of.record.attempt, id: `import-${of.id}-${n}`, text } as const
      yield* Calls.say(tx, of, { ...said, queued: true, ...(attached === undefined ? {} : { attached }) })
    }
    yield* sql`INSERT INTO imported (root, source_id, agent, digest, task_id, original, imported_at)
      VALUES (${root}, ${id}, ${agent}, ${digest}, ${of.id}, ${task.original}, ${tx.now})`
  })

interface KnownColumns {
  readonly root: string
  readonly source_id: string
  readonly agent: string
  readonly digest: string
  readonly task_id: Import.Known["taskId"]
  readonly original: string
}

/** Every task that was taken over, also those deleted since. The file of an older version that is only read has none. */
export const all = (sql: SqlClient.SqlClient): Effect.Effect<ReadonlyArray<Import.Known>, SqlError> =>
  Effect.gen(function* () {
    if (!(yield* Dialect.hasTable(sql, "imported"))) return []
    const rows = yield* sql<KnownColumns>`SELECT root, source_id, agent, digest, task_id, original
      FROM imported ORDER BY rowid`
    return rows.map(({ agent, digest, original, root, source_id, task_id }) => ({
      agent,
      root,
      id: source_id,
      digest,
      taskId: task_id,
      original
    }))
  })
