/** Reconciliation against the database: facts in one read, repairs in one transaction, each with its event. */
import {
  type Command,
  type LegalDecision,
  Reconcile,
  type Reconciler,
  TaskRecord,
  type TaskId
} from "@belay/task-state"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { AppliedRepair, Quarantined, Reconciled } from "../../history/TaskHistory.ts"
import * as Calls from "../writing/calls.ts"
import * as Lifecycle from "../writing/lifecycle.ts"
import * as Dialect from "../database/dialect.ts"
import * as Quarantine from "./quarantine.ts"
import { type LeaseColumns, leaseOf, readableRecord, type RecordColumns } from "../records/rows.ts"
import * as Rest from "./rest.ts"
import * as Reservations from "../writing/reservations.ts"
import * as Salvage from "./salvage.ts"
import * as Tombstone from "../writing/tombstone.ts"
import * as Tries from "./tries.ts"
import { head, note, type Transaction } from "../writing/transaction.ts"

interface Found {
  /** Those of which it is not known yet that they need no repair. */
  readonly unknown: ReadonlyArray<RecordColumns>
  readonly facts: Reconcile.Facts
  readonly unreadable: ReadonlyMap<TaskId.TaskId, RecordColumns>
  readonly traces: Salvage.Search["traces"]
}

const hasCollected = (record: TaskRecord.TaskRecord | undefined): boolean =>
  record !== undefined && TaskRecord.collectedIds(record).length > 0

const nothingMissing: Salvage.Search = { traces: new Map(), doubtful: new Set() }

/** The calls without a result of tasks that have collected; older turns are answered as a whole. */
const openCalls = (tx: Transaction, keys: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const open = new Map<TaskId.TaskId, Set<string>>()
    if (keys.length === 0) return open
    const { sql } = tx
    const rows = yield* sql.unsafe<{ id: TaskId.TaskId; call_id: string }>(
      `SELECT t.id, c.call_id FROM task t JOIN tool_call c ON c.task = t.key
          AND c.message_idx = (SELECT max(message_idx) FROM tool_call WHERE task = t.key)
        WHERE t.key IN ${Dialect.of(sql).keys} AND c.state NOT IN ('finished', 'unknown')`,
      [JSON.stringify(keys)]
    )
    for (const { call_id, id } of rows) open.set(id, (open.get(id) ?? new Set()).add(call_id))
    return open
  })

/**
 * Open tasks that can need a repair, the children they wait for and their parents: neither completed history is read, nor
 * what is at rest since it was looked at. An unreadable record is not absent.
 */
const find = (
  tx: Transaction,
  runners: ReadonlySet<TaskId.TaskId>,
  remains: ReadonlySet<TaskId.TaskId>
): Effect.Effect<Found, SqlError> =>
  Effect.gen(function* () {
    const { sql } = tx
    const tasks = new Map<TaskId.TaskId, TaskRecord.TaskRecord>()
    const unreadable = new Map<TaskId.TaskId, RecordColumns>()
    const related = new Set<TaskId.TaskId>(remains)
    const know = (row: RecordColumns, isOpen: boolean) => {
      const record = readableRecord(row)
      if (record === undefined) unreadable.set(row.id, row)
      else tasks.set(row.id, record)
      if (record === undefined || !isOpen) return
      for (const id of TaskRecord.awaitedIds(record)) related.add(id)
      if (record.lineage.parentId !== undefined) related.add(record.lineage.parentId)
    }
    const open = yield* Rest.unknown(tx)
    for (const row of open) know(row, true)
    const reported = open.filter((row) => hasCollected(tasks.get(row.id)))
    const answered = new Set(open.filter((row) => row.message_count > 1).map((row) => row.id))
    const absent = (id: TaskId.TaskId) => !tasks.has(id) && !unreadable.has(id)
    const asked = new Set<TaskId.TaskId>()
    const missing = () => [...related].filter((id) => absent(id) && !asked.has(id))
    for (let ids = missing(); ids.length > 0; ids = missing()) {
      const rows = yield* sql.unsafe<RecordColumns & { open: number }>(
        `SELECT key, id, record, status <> 'completed' AS open FROM task WHERE id IN ${Dialect.of(sql).texts}`,
        [JSON.stringify(ids)]
      )
      for (const { open: isOpen, ...row } of rows) know(row, isOpen === 1)
      for (const id of ids) asked.add(id)
    }
    const gone = [...asked].filter(absent)
    const leases = yield* sql.unsafe<LeaseColumns & { id: TaskId.TaskId }>(
      `SELECT t.id, l.owner_id, l.attempt, l.taken_at
        FROM lease l ${Dialect.of(sql).thenJoin} task t ON t.key = l.task`
    )
    const alive = (ownerId: string) => ownerId === tx.me || tx.alive(ownerId)
    const { doubtful, traces } = gone.length === 0 ? nothingMissing : yield* Salvage.search(tx, gone, alive)
    const calls = yield* openCalls(
      tx,
      reported.map((row) => row.key)
    )
    const facts: Reconcile.Facts = {
      tasks,
      leases: new Map(leases.map((row) => [row.id, leaseOf(row.id, row)])),
      alive,
      me: tx.me,
      runners,
      hasTranscript: (id) => answered.has(id),
      unreadable: (id) => unreadable.has(id) || doubtful.has(id),
      hasLog: (id) => traces.has(id),
      rebuilt: (id) => traces.get(id)?.record,
      hasRemains: (id) => remains.has(id),
      openCalls: (id) => calls.get(id) ?? new Set(),
      now: tx.now
    }
    return { unknown: open, facts, unreadable, traces }
  })

/** A parent that awaits nothing has no use for an open `new_task` call: it is answered, so that it can go on. */
const closeDelegations = (tx: Transaction, id: TaskId.TaskId) =>
  Effect.gen(function* () {
    const { sql } = tx
    const of = yield* head(tx, id)
    if (of === undefined) return
    const open = yield* sql<{ call_id: string }>`SELECT call_id FROM tool_call
      WHERE task = ${of.key} AND name = 'new_task' AND state NOT IN ('finished', 'unknown')`
    if (open.length === 0) return
    const content = [{ type: "text" as const, text: "No subtask of this call is known. It did not run." }]
    const results = open.map((call) => ({
      callId: call.call_id,
      content,
      isError: true,
      state: "finished" as const
    }))
    yield* Calls.settle(tx, of, results, "nothingAwaited")
  })

/** False when a record that it was derived from has changed since, by an earlier repair of the same round. */
const isCurrent = (tx: Transaction, repair: Reconcile.Repair) =>
  Effect.gen(function* () {
    const changed = repair.decision.changes.flatMap(({ before }) => (before === undefined ? [] : [before.id]))
    for (const id of [...repair.reads.map((read) => read.taskId), ...changed]) yield* head(tx, id)
    return Reconcile.isCurrent(repair, (id) => tx.heads.get(id)?.record)
  })

/** Writes one repair with its event; what is put back is there before its event, what is deleted goes before it. */
const carryOut = (tx: Transaction, { decision, detail, rule, taskId }: Reconcile.Repair, traces: Found["traces"]) =>
  Effect.gen(function* () {
    const trace = rule === "recordMissing" ? traces.get(taskId) : undefined
    if (trace !== undefined) yield* Salvage.restore(tx, trace)
    const of = yield* head(tx, taskId)
    if (of !== undefined && rule === "deletionUnfinished") yield* Tombstone.erase(tx, of)
    if (of !== undefined) note(tx, of, { type: "repaired", rule, detail })
    if (trace === undefined) yield* Lifecycle.apply(tx, decision)
    if (rule === "nothingAwaited") yield* closeDelegations(tx, taskId)
  })

/** Copies aside what cannot be read, and puts back what its journal tells (recordDamaged). */
const mend = (tx: Transaction, unreadable: Found["unreadable"], tries: Tries.Tries) =>
  Effect.gen(function* () {
    const quarantined = yield* Quarantine.keep(tx, [...unreadable.values()].map(Quarantine.unreadable))
    const mended: Array<AppliedRepair> = []
    for (const row of unreadable.values()) {
      if (tries.isOver(row.id, "recordDamaged")) continue
      const detail = yield* Salvage.mend(tx, row)
      if (detail === undefined) continue
      const repair = { taskId: row.id, rule: "recordDamaged", detail } as const
      if (tries.take(repair)) mended.push(repair)
    }
    return { quarantined, mended }
  })

/** A repair that does not hold: its task is left as it is, and a copy of its record kept. */
const giveUp = (tx: Transaction, { rule, taskId }: AppliedRepair, traces: Found["traces"]) => {
  const record = tx.heads.get(taskId)?.record ?? traces.get(taskId)?.record
  return Quarantine.keep(tx, [
    {
      id: taskId,
      record: record === undefined ? "" : JSON.stringify(TaskRecord.encode(record)),
      reason: `it is damaged in more than one place: its repair (${rule}) changes nothing`
    }
  ])
}

/**
 * Repairs what the reconciler finds until it finds nothing more. `sweep`: deleted tasks are looked at too, which reads a counter of
 * every task.
 */
export const run = (
  tx: Transaction,
  reconciler: Reconciler["Service"],
  runners: ReadonlySet<TaskId.TaskId>,
  sweep: boolean
): Effect.Effect<Reconciled, Command.TransitionRejected | LegalDecision.IllegalDecision | SqlError> =>
  Effect.gen(function* () {
    yield* Reservations.forfeitOfGone(tx)
    const repairs: Array<AppliedRepair> = []
    const quarantined: Array<Quarantined> = []
    const remains = new Set(sweep ? yield* Tombstone.remains(tx) : [])
    const tries = Tries.make()
    for (let rounds = 0; rounds < Tries.roundsAtMost; rounds++) {
      const { facts, traces, unknown, unreadable } = yield* find(tx, runners, remains)
      const before = repairs.length
      const kept = yield* mend(tx, unreadable, tries)
      quarantined.push(...kept.quarantined)
      repairs.push(...kept.mended)
      const due = kept.mended.length > 0 ? [] : yield* reconciler.repairs(facts)
      for (const repair of due) {
        if (!(yield* isCurrent(tx, repair))) continue
        const { detail, rule, taskId } = repair
        if (!tries.take({ taskId, rule, detail })) {
          quarantined.push(...(yield* giveUp(tx, repair, traces)))
          continue
        }
        yield* carryOut(tx, repair, traces)
        if (rule === "deletionUnfinished") remains.delete(taskId)
        repairs.push({ taskId, rule, detail })
      }
      if (repairs.length > before) continue
      yield* Rest.keep(tx, unknown, facts, new Set(due.map(({ taskId }) => taskId)))
      break
    }
    return { repairs: tries.done(repairs), quarantined }
  })
