/** Tasks as lists show them: columns and leases, never transcripts. */
import { Derived, TaskRecord, type TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as SqlClient from "effect/sql/SqlClient"
import type { Liveness } from "../../history/Owner.ts"
import type { Ownership } from "../../ownership/Ownership.ts"
import type * as Step from "../../history/Step.ts"
import type * as History from "../../history/TaskHistory.ts"
import {
  leaseOf,
  type MetricColumns,
  metaOf,
  type OwnerColumns,
  ownerOf,
  readableRecord,
  type RecordColumns,
  recordOf,
  type TaskColumns,
  usageOf
} from "../records/rows.ts"
import * as Dialect from "../database/dialect.ts"
import { isKept } from "../writing/tombstone.ts"

type RowColumns = TaskColumns &
  MetricColumns & {
    readonly lease_owner: string | null
    readonly lease_attempt: number
    readonly taken_at: number
    readonly open_asks: number
    readonly has_children: number
  } & { readonly [K in keyof OwnerColumns as `owner_${K}`]: OwnerColumns[K] | null }

/** A row with its record and what describes it, read once. */
interface Known {
  readonly row: RowColumns
  readonly meta: Step.TaskMeta
  readonly record: TaskRecord.TaskRecord
}

const columnsOf = ({
  field
}: Dialect.Dialect) => `t.key, t.id, t.record, t.title, t.workspace, t.mode, t.model, t.host, t.settings, t.created_at, m.*,
  l.owner_id AS lease_owner, l.attempt AS lease_attempt, l.taken_at,
  o.owner_id AS owner_owner_id, o.machine_id AS owner_machine_id, o.boot_id AS owner_boot_id,
  o.pid_namespace AS owner_pid_namespace, o.pid AS owner_pid, o.kind AS owner_kind, o.host AS owner_host,
  (SELECT ${field("e.data", "to")} FROM task_event e WHERE e.task = t.key AND e.type = 'planning.changed'
    ORDER BY e.seq DESC LIMIT 1) AS planning,
  (SELECT count(*) FROM ask a WHERE a.task = t.key AND a.open = 1) AS open_asks,
  EXISTS (SELECT 1 FROM task c WHERE c.parent_id = t.id) AS has_children`

const tables = `task t JOIN task_metric m ON m.task = t.key LEFT JOIN lease l ON l.task = t.key
  LEFT JOIN owner o ON o.owner_id = l.owner_id`

/** From the newest on, until there are enough. */
const newest = ({ thenJoin }: Dialect.Dialect) => `task_metric m ${thenJoin} task t ON t.key = m.task`

/** From the few that a condition leaves, all of which are put in order. */
const few = ({ thenJoin }: Dialect.Dialect) => `task t ${thenJoin} task_metric m ON m.task = t.key`

/** Of a folder with more tasks the newest of all are looked through. */
const fewAtMost = 1000

/** What an owner is known by when it has left no row. */
const holderOf = (row: RowColumns, ownerId: string) =>
  ownerOf({
    owner_id: ownerId,
    machine_id: row.owner_machine_id ?? "",
    boot_id: row.owner_boot_id ?? "",
    pid_namespace: row.owner_pid_namespace ?? "",
    pid: row.owner_pid ?? 0,
    kind: row.owner_kind ?? "",
    host: row.owner_host ?? ""
  })

/** Throws `Unreadable`, naming the task. */
const knownOf = (row: RowColumns): Known => ({ row, record: recordOf(row), meta: metaOf(row) })

/** The rows that can be read; the others stop none of them. */
const readable = (rows: ReadonlyArray<RowColumns>): ReadonlyArray<Known> =>
  rows.flatMap((row) => {
    const known = Result.try(() => knownOf(row))
    return Result.isSuccess(known) ? [known.success] : []
  })

const nobody: Liveness = { _tag: "Dead" }

const makeRows = (sql: SqlClient.SqlClient, ownership: Ownership["Service"]) => {
  /** The leases of rows; each owner is probed once. */
  const leasesOf = (rows: ReadonlyArray<RowColumns>) =>
    Effect.gen(function* () {
      const looked = new Map<string, Liveness>()
      const leases = new Map<TaskId.TaskId, NonNullable<History.TaskRow["lease"]>>()
      for (const row of rows) {
        if (row.lease_owner === null) continue
        const holder = holderOf(row, row.lease_owner)
        // A lease without an owner row belongs to nobody.
        const found =
          row.owner_owner_id === null ? nobody : (looked.get(holder.ownerId) ?? (yield* ownership.liveness(holder)))
        looked.set(holder.ownerId, found)
        const taken = { owner_id: holder.ownerId, attempt: row.lease_attempt, taken_at: row.taken_at }
        leases.set(row.id, {
          ...leaseOf(row.id, taken),
          owner: holder,
          alive: found._tag !== "Dead",
          ...(found._tag === "Unknown" ? { doubt: found.why } : {})
        })
      }
      return leases
    })

  /** The records below these, as far as their derived states depend on them, and the ids of those unreadable. */
  const below = (rows: ReadonlyArray<Known>) =>
    Effect.gen(function* () {
      const known = new Map<TaskId.TaskId, TaskRecord.TaskRecord>()
      const unreadable = new Set<TaskId.TaskId>()
      let parents = rows.filter(({ record }) => TaskRecord.awaitedIds(record).length > 0).map(({ row }) => row.id)
      while (parents.length > 0) {
        const found = yield* sql.unsafe<RecordColumns>(
          `SELECT key, id, record FROM task WHERE parent_id IN ${Dialect.of(sql).texts}`,
          [JSON.stringify(parents)]
        )
        parents = []
        for (const row of found) {
          const record = readableRecord(row)
          if (record === undefined) unreadable.add(row.id)
          if (record === undefined || known.has(row.id)) continue
          known.set(row.id, record)
          if (record.status === "delegated") parents.push(row.id)
        }
      }
      return { known, unreadable }
    })

  return (rows: ReadonlyArray<Known>) =>
    Effect.gen(function* () {
      const { known, unreadable } = yield* below(rows)
      const leases = yield* leasesOf(rows.map(({ row }) => row))
      for (const { record } of rows) known.set(record.id, record)
      const facts: Derived.Facts = {
        task: (id) => known.get(id),
        running: (id) => leases.get(id)?.alive === true
      }
      return rows.map(({ meta, record, row }): History.TaskRow => {
        const total = row.checklist_total
        return {
          record,
          meta,
          createdAt: row.created_at,
          updatedAt: row.updated_at,
          lastSeq: row.last_seq,
          messageCount: row.message_count,
          usage: usageOf(row),
          contextTokens: row.context_tokens,
          checklist: total === null ? null : { done: row.checklist_done ?? 0, total },
          derived: Derived.derive(record, facts),
          lease: leases.get(row.id) ?? null,
          openAsks: row.open_asks,
          hasChildren: row.has_children === 1,
          unreadable: TaskRecord.awaitedIds(record).filter((id) => unreadable.has(id))
        }
      })
    })
}

/** Where a list goes on: after the last row of the page before. */
const cursorOf = (row: RowColumns): string => `${row.updated_at}~${row.key}`

const after = (cursor: string): readonly [number, number] => {
  const [updated, key] = cursor.split("~").map(Number)
  return [updated ?? Number.NaN, key ?? Number.NaN]
}

const isOpen = ({ status }: History.Query): boolean => status !== undefined && status !== "completed"

const filters = (dialect: Dialect.Dialect, query: History.Query) => {
  const where: Array<string> = [isKept(dialect, "t.record")]
  const params: Array<unknown> = []
  const filter = (text: string, ...values: ReadonlyArray<unknown>) => {
    where.push(text)
    params.push(...values)
  }
  if (query.status !== undefined) filter("t.status = ?", query.status)
  // Written out, not bound: that is how the index of open tasks is found.
  if (isOpen(query)) filter("t.status <> 'completed'")
  if (query.workspace !== undefined) filter("t.workspace = ?", query.workspace)
  if (query.since !== undefined) filter("m.updated_at >= ?", query.since)
  if (query.scope !== undefined) filter("t.key IN (SELECT task FROM task_queue WHERE scope = ?)", query.scope)
  if (query.rootsOnly === true) filter("t.parent_id IS NULL")
  if (query.trees !== undefined) {
    const open = "SELECT root_id FROM task WHERE status <> 'completed'"
    filter(`t.parent_id IS NULL AND t.id ${query.trees === "open" ? "IN" : "NOT IN"} (${open})`)
  }
  if (query.cursor !== undefined) filter("(m.updated_at, m.task) < (?, ?)", ...after(query.cursor))
  return { where: where.join(" AND "), params }
}

/** Lists and rows. A list names a task that cannot be read and shows the others; asking for that one fails. */
export const make = (sql: SqlClient.SqlClient, ownership: Ownership["Service"]) => {
  const assemble = makeRows(sql, ownership)
  const dialect = Dialect.of(sql)
  const columns = columnsOf(dialect)
  const select = (where: string, params: ReadonlyArray<unknown>) =>
    sql.unsafe<RowColumns>(`SELECT ${columns} FROM ${tables} WHERE ${where}`, params)

  /** Only what is open, or in a folder with few tasks, is put in order as a whole. */
  const orderOf = (query: History.Query) =>
    Effect.gen(function* () {
      if (isOpen(query) || query.trees === "open" || query.scope !== undefined) return few
      if (query.workspace === undefined) return newest
      const [found] = yield* sql<{ count: number }>`SELECT count(*) AS count
        FROM (SELECT 1 FROM task WHERE workspace = ${query.workspace} LIMIT ${fewAtMost + 1}) AS few`
      return (found?.count ?? 0) > fewAtMost ? newest : few
    })

  const row = (id: TaskId.TaskId) =>
    select("t.id = ?", [id]).pipe(
      Effect.map((rows) => rows.map(knownOf)),
      Effect.flatMap(assemble),
      Effect.map((rows) => Option.fromUndefinedOr(rows[0]))
    )

  /** Those that can be read, in any order, by their keys. */
  const keyed = (keys: ReadonlyArray<number>) =>
    Effect.gen(function* () {
      const found = yield* select(`t.key IN ${dialect.keys}`, [JSON.stringify(keys)])
      const known = readable(found)
      const rows = yield* assemble(known)
      return new Map(known.map(({ row }, at) => [row.key, rows[at]] as const))
    })

  const children = (id: TaskId.TaskId) =>
    Effect.flatMap(
      select(`t.parent_id = ? AND ${isKept(dialect, "t.record")} ORDER BY t.created_at, t.key`, [id]),
      (rows) => assemble(readable(rows))
    )

  const list = (query: History.Query) =>
    Effect.gen(function* () {
      const { params, where } = filters(dialect, query)
      const order = "ORDER BY m.updated_at DESC, m.task DESC"
      // Which they are comes first: all that is shown of a task is read of these alone.
      const keys = `SELECT t.key FROM ${(yield* orderOf(query))(dialect)} WHERE ${where} ${order} LIMIT ?`
      const found = yield* select(`t.key IN (${keys}) ${order}`, [...params, query.limit + 1])
      const page = found.slice(0, query.limit)
      const known = readable(page)
      const whole = new Set(known.map(({ row }) => row.id))
      const unreadable = page.map(({ id }) => id).filter((id) => !whole.has(id))
      const rows = yield* assemble(known)
      const last = page.at(-1)
      const more = found.length > query.limit && last !== undefined ? { nextCursor: cursorOf(last) } : {}
      return { rows, unreadable, ...more }
    })

  const idsOf = (rows: ReadonlyArray<{ readonly id: TaskId.TaskId }>) => rows.map((found) => found.id)

  /** Deleted tasks are not found. */
  const matching = (where: string, params: ReadonlyArray<unknown>, limit: number) =>
    Effect.map(
      sql.unsafe<{ id: TaskId.TaskId }>(
        `SELECT id FROM task WHERE ${where} AND ${isKept(dialect, "record")} ORDER BY id LIMIT ?`,
        [...params, limit]
      ),
      idsOf
    )

  const startingWith = (text: string, limit: number) =>
    matching("id >= ? AND id < ?", [text, `${text}\u{10FFFF}`], limit)

  const endingWith = (text: string, limit: number) =>
    matching("substr(id, length(id) - ? + 1) = ?", [text.length, text], limit)

  const find = (text: string, limit: number) =>
    Effect.flatMap(startingWith(text, limit), (found) =>
      found.length > 0 ? Effect.succeed(found) : endingWith(text, limit)
    )

  return { row, keyed, children, list, find }
}
