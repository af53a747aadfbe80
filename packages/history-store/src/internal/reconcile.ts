/** Reconciliation against the database: facts in one read, repairs in one transaction, each with its event. */
import { Reconcile, TaskRecord, type TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { AppliedRepair } from "../TaskHistory.ts"
import * as Calls from "./calls.ts"
import * as Lifecycle from "./lifecycle.ts"
import { type LeaseColumns, leaseOf, recordOf } from "./rows.ts"
import { head, note, type Transaction } from "./transaction.ts"

/** Open tasks and the children they wait for; completed history is not read. */
const facts = (tx: Transaction, runners: ReadonlySet<TaskId.TaskId>): Effect.Effect<Reconcile.Facts, SqlError> =>
  Effect.gen(function* () {
    const { sql } = tx
    const open = yield* sql<{ id: TaskId.TaskId; record: string; message_count: number }>`
      SELECT t.id, t.record, m.message_count FROM task t JOIN task_metric m ON m.task_id = t.id
      WHERE t.status <> 'completed'`
    const tasks = new Map(open.map((row) => [row.id, recordOf(row.record)]))
    const answered = new Set(open.filter((row) => row.message_count > 1).map((row) => row.id))
    const awaited = [...tasks.values()].flatMap(TaskRecord.awaitedIds).filter((id) => !tasks.has(id))
    if (awaited.length > 0) {
      const rows = yield* sql<{ id: TaskId.TaskId; record: string }>`SELECT id, record FROM task
        WHERE id IN ${sql.in(awaited)}`
      for (const row of rows) tasks.set(row.id, recordOf(row.record))
    }
    const leases = yield* sql<LeaseColumns>`SELECT * FROM lease`
    return {
      tasks,
      leases: new Map(leases.map((row) => [row.task_id, leaseOf(row)])),
      alive: (ownerId) => ownerId === tx.me || tx.alive(ownerId),
      me: tx.me,
      runners,
      hasTranscript: (id) => answered.has(id),
      now: tx.now
    }
  })

/** A parent that awaits nothing has no use for an open `new_task` call: it is answered, so that it can go on. */
const closeDelegations = (tx: Transaction, id: TaskId.TaskId) =>
  Effect.gen(function* () {
    const { sql } = tx
    const open = yield* sql<{ call_id: string }>`SELECT call_id FROM tool_call
      WHERE task_id = ${id} AND name = 'new_task' AND state NOT IN ('finished', 'unknown')`
    const of = yield* head(tx, id)
    if (of === undefined || open.length === 0) return
    const content = [{ type: "text" as const, text: "No subtask of this call is known. It did not run." }]
    const results = open.map((call) => ({
      callId: call.call_id,
      content,
      isError: true,
      state: "finished" as const
    }))
    yield* Calls.settle(tx, of, results, "R5")
  })

/** Leases and rows of owners that are proven dead go in the transaction that repairs what they left. */
const forgetOwners = (tx: Transaction, dead: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { sql } = tx
    if (dead.length === 0) return
    yield* sql`DELETE FROM lease WHERE owner_id IN ${sql.in(dead)}`
    yield* sql`DELETE FROM owner WHERE owner_id IN ${sql.in(dead)}`
  })

/** Repairs until nothing is left to repair. */
export const run = (tx: Transaction, runners: ReadonlySet<TaskId.TaskId>, dead: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    yield* forgetOwners(tx, dead)
    const applied: Array<AppliedRepair> = []
    for (;;) {
      const round = Reconcile.repairs(yield* facts(tx, runners))
      if (round.length === 0) return applied
      for (const { decision, detail, rule, taskId } of round) {
        const of = yield* head(tx, taskId)
        if (of !== undefined) note(tx, of, { type: "repaired", rule, detail })
        yield* Lifecycle.apply(tx, decision)
        if (rule === "R5") yield* closeDelegations(tx, taskId)
        applied.push({ taskId, rule, detail })
      }
    }
  })
