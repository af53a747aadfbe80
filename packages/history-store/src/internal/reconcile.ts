/** Reconciliation against the database: facts in one read, repairs in one transaction, each with its event. */
import { type Command, Reconcile, TaskRecord, type TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { AppliedRepair, Reconciled } from "../TaskHistory.ts"
import * as Calls from "./calls.ts"
import * as Lifecycle from "./lifecycle.ts"
import * as Quarantine from "./quarantine.ts"
import { type LeaseColumns, leaseOf, readableRecord, type RecordColumns } from "./rows.ts"
import { head, note, type Transaction } from "./transaction.ts"

interface Found {
  readonly facts: Reconcile.Facts
  readonly unreadable: ReadonlyMap<TaskId.TaskId, RecordColumns>
}

/** Open tasks and the children they wait for; completed history is not read. An unreadable record is not absent. */
const find = (tx: Transaction, runners: ReadonlySet<TaskId.TaskId>): Effect.Effect<Found, SqlError> =>
  Effect.gen(function* () {
    const { sql } = tx
    const tasks = new Map<TaskId.TaskId, TaskRecord.TaskRecord>()
    const unreadable = new Map<TaskId.TaskId, RecordColumns>()
    const know = (row: RecordColumns) => {
      const record = readableRecord(row)
      if (record === undefined) unreadable.set(row.id, row)
      else tasks.set(row.id, record)
    }
    const open = yield* sql<RecordColumns & { message_count: number }>`
      SELECT t.key, t.id, t.record, m.message_count FROM task t JOIN task_metric m ON m.task = t.key
      WHERE t.status <> 'completed'`
    open.forEach(know)
    const answered = new Set(open.filter((row) => row.message_count > 1).map((row) => row.id))
    const absent = (id: TaskId.TaskId) => !tasks.has(id) && !unreadable.has(id)
    const related = [...tasks.values()].flatMap((record) => [
      ...TaskRecord.awaitedIds(record),
      ...(record.lineage.parentId === undefined ? [] : [record.lineage.parentId])
    ])
    const missing = related.filter(absent)
    if (missing.length > 0) {
      const rows = yield* sql<RecordColumns>`SELECT key, id, record FROM task
        WHERE id IN (SELECT value FROM json_each(${JSON.stringify(missing)}))`
      rows.forEach(know)
    }
    const leases = yield* sql<LeaseColumns & { id: TaskId.TaskId }>`SELECT t.id, l.owner_id, l.attempt, l.taken_at
      FROM lease l JOIN task t ON t.key = l.task`
    const facts: Reconcile.Facts = {
      tasks,
      leases: new Map(leases.map((row) => [row.id, leaseOf(row.id, row)])),
      alive: (ownerId) => ownerId === tx.me || tx.alive(ownerId),
      me: tx.me,
      runners,
      hasTranscript: (id) => answered.has(id),
      unreadable: (id) => unreadable.has(id),
      now: tx.now
    }
    return { facts, unreadable }
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
    yield* Calls.settle(tx, of, results, "R5")
  })

/**
 * Leases and rows of owners that are proven dead go in the transaction that repairs what they left; so does a lease
 * whose owner has no row, because an owner is registered before it can take one.
 */
const forgetOwners = (tx: Transaction, dead: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { sql } = tx
    if (dead.length > 0) {
      yield* sql`DELETE FROM owner WHERE owner_id IN (SELECT value FROM json_each(${JSON.stringify(dead)}))`
    }
    yield* sql`DELETE FROM lease WHERE owner_id NOT IN (SELECT owner_id FROM owner)`
  })

/** False when a record that it was derived from has changed since, by an earlier repair of the same round. */
const isCurrent = (tx: Transaction, repair: Reconcile.Repair) =>
  Effect.gen(function* () {
    const changed = repair.decision.changes.flatMap(({ before }) => (before === undefined ? [] : [before.id]))
    for (const id of [...repair.reads.map((read) => read.taskId), ...changed]) yield* head(tx, id)
    return Reconcile.isCurrent(repair, (id) => tx.heads.get(id)?.record)
  })

/** Repairs until nothing is left to repair, and copies aside what cannot be read. */
export const run = (
  tx: Transaction,
  runners: ReadonlySet<TaskId.TaskId>,
  dead: ReadonlyArray<string>
): Effect.Effect<Reconciled, Command.TransitionRejected | SqlError> =>
  Effect.gen(function* () {
    yield* forgetOwners(tx, dead)
    const applied: Array<AppliedRepair> = []
    for (;;) {
      const { facts, unreadable } = yield* find(tx, runners)
      const round = Reconcile.repairs(facts)
      const before = applied.length
      for (const repair of round) {
        if (!(yield* isCurrent(tx, repair))) continue
        const { decision, detail, rule, taskId } = repair
        const of = yield* head(tx, taskId)
        if (of !== undefined) note(tx, of, { type: "repaired", rule, detail })
        yield* Lifecycle.apply(tx, decision)
        if (rule === "R5") yield* closeDelegations(tx, taskId)
        applied.push({ taskId, rule, detail })
      }
      if (applied.length > before) continue
      return { repairs: applied, quarantined: yield* Quarantine.keep(tx, [...unreadable.values()]) }
    }
  })
