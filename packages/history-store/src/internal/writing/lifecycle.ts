/**
 * Lifecycle requests inside a transaction: read what the decision may look at, let the state machine decide, check that
 * each change is a legal step, write every change.
 */
import { Command, Journal, LegalDecision, type Protocol, TaskRecord, type TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Calls from "./calls.ts"
import * as Tombstone from "./tombstone.ts"
import { freshMetric, head, insertRow, note, type Head, type Transaction } from "./transaction.ts"
import type * as Step from "../../history/Step.ts"
import * as Unread from "./unread.ts"

/** Every record that a decision on this request may look at. */
const load = (tx: Transaction, request: Protocol.Request) =>
  Effect.gen(function* () {
    const found = yield* head(tx, request.taskId)
    const wanted = new Set<TaskId.TaskId>()
    if (found?.record.lineage.parentId !== undefined) wanted.add(found.record.lineage.parentId)
    if (found !== undefined) for (const id of TaskRecord.awaitedIds(found.record)) wanted.add(id)
    if (found !== undefined && (request._tag === "Delete" || request._tag === "Undelete")) {
      for (const id of TaskRecord.knownIds(found.record)) wanted.add(id)
    }
    if ("children" in request) {
      for (const child of request.children) wanted.add(typeof child === "string" ? child : child.id)
    }
    if ("to" in request) wanted.add(request.to)
    if ("as" in request) wanted.add(request.as)
    // Whether anything below is at work is asked of the whole tree, and what a deletion took comes back whole.
    const deep = request._tag === "Delete" || request._tag === "Undelete" || request._tag === "Restart"
    for (const id of wanted) {
      const of = yield* head(tx, id)
      if (!deep || of === undefined || id === found?.record.lineage.parentId) continue
      for (const child of TaskRecord.knownIds(of.record)) wanted.add(child)
    }
  })

const view = (tx: Transaction): Protocol.View => ({
  task: (id) => tx.heads.get(id)?.record,
  lease: (id) => tx.heads.get(id)?.lease,
  alive: (ownerId) => ownerId === tx.me || tx.alive(ownerId),
  me: tx.me,
  now: tx.now
})

const insert = (tx: Transaction, record: TaskRecord.TaskRecord) =>
  Effect.gen(function* () {
    const key = yield* insertRow(tx, record, tx.now)
    yield* tx.sql`INSERT INTO task_metric (task, updated_at) VALUES (${key}, ${tx.now})`
    const metric = freshMetric(tx.now)
    tx.heads.set(record.id, { id: record.id, key, record, lease: undefined, metric, touched: false })
    tx.records.set(record.id, record)
  })

/** A write finds the revision that it was decided on, or nothing is written. */
const unchanged = (before: TaskRecord.TaskRecord) => (rows: ReadonlyArray<unknown>) =>
  rows.length === 1 ? Effect.void : Effect.fail(Command.rejected(before.id, "Write", before.status, "Changed"))

const remove = (tx: Transaction, before: TaskRecord.TaskRecord) => {
  tx.heads.set(before.id, undefined)
  tx.records.delete(before.id)
  const { sql } = tx
  return Effect.flatMap(
    sql`DELETE FROM task WHERE id = ${before.id} AND rev = ${before.rev} RETURNING key`,
    unchanged(before)
  )
}

const replace = (tx: Transaction, before: TaskRecord.TaskRecord, after: TaskRecord.TaskRecord) => {
  const { sql } = tx
  return Effect.flatMap(
    sql`UPDATE task SET rev = ${after.rev}, status = ${after.status}, attempt = ${after.attempt},
      record = ${JSON.stringify(TaskRecord.encode(after))} WHERE id = ${after.id} AND rev = ${before.rev}
      RETURNING key`,
    unchanged(before)
  )
}

const moveLease = (tx: Transaction, of: Head, lease: Protocol.Change["lease"]) => {
  const { sql } = tx
  if (lease === "keep") return Effect.void
  if (lease === "release") {
    if (of.lease === undefined) return Effect.void
    of.lease = undefined
    return sql`DELETE FROM lease WHERE task = ${of.key}`
  }
  of.taken = true
  of.lease = { taskId: of.id, ownerId: tx.me, attempt: of.record.attempt, takenAt: tx.now }
  return sql`INSERT INTO lease (task, owner_id, attempt, taken_at)
    VALUES (${of.key}, ${tx.me}, ${of.record.attempt}, ${tx.now})
    ON CONFLICT (task) DO UPDATE SET owner_id = excluded.owner_id, attempt = excluded.attempt,
      taken_at = excluded.taken_at`
}

/** Nobody waits for an answer to a task that has completed. */
const closeAsks = (tx: Transaction, of: Head) =>
  Effect.gen(function* () {
    const { sql } = tx
    const open = yield* sql<{ ask_id: string }>`UPDATE ask SET open = 0, settled_by = 'completion'
      WHERE task = ${of.key} AND open = 1 RETURNING ask_id`
    for (const { ask_id } of open) note(tx, of, { type: "ask.settled", askId: ask_id, by: "completion" })
  })

const write = (tx: Transaction, change: Protocol.Change) =>
  Effect.gen(function* () {
    const { after, before } = change
    if (after === undefined) {
      if (before !== undefined) yield* remove(tx, before)
      return
    }
    if (before === undefined) {
      yield* insert(tx, after)
      return
    }
    yield* replace(tx, before, after)
    const of = yield* head(tx, after.id)
    if (of === undefined) return
    of.record = after
    tx.records.set(after.id, after)
    yield* moveLease(tx, of, change.lease)
    if (TaskRecord.isTombstone(after))
      yield* TaskRecord.keptOf(after) ? Tombstone.putAside(tx, of) : Tombstone.erase(tx, of)
    else if (TaskRecord.isTombstone(before)) yield* Tombstone.takeBack(tx, of)
    else if (after.status === "completed") yield* closeAsks(tx, of)
    for (const event of Journal.eventsOf(change, tx.me)) {
      // A task is announced with its prompt, by the step that describes it.
      if (event.type === "task.created") continue
      note(tx, of, event)
    }
  })

/** A person's choice can come while the model answers; a runner collects between its requests. */
const isArriving = ({ changes }: Protocol.Decision): boolean =>
  changes.some(({ before, command }) => command === "Abandon" && before?.status === "active")

/**
 * Writes a decision that was made on this transaction's view, answers the calls that it settles and delivers its reports.
 * Errors: `IllegalDecision` when a change of it is no legal step, whoever decided; then nothing is written.
 */
export const apply = (tx: Transaction, decision: Protocol.Decision, did: Step.Did = {}) =>
  Effect.gen(function* () {
    yield* Effect.fromResult(LegalDecision.check(view(tx), decision))
    for (const change of decision.changes) yield* write(tx, change)
    for (const settlement of decision.settlements) yield* Calls.settleChild(tx, settlement, did)
    for (const message of decision.messages ?? []) yield* Calls.tellOfChild(tx, message, did, isArriving(decision))
  })

/** A task completes when its model has been sent everything that was said to it. */
const allRead = (tx: Transaction, asked: Protocol.Request, { changes }: Protocol.Decision) =>
  Effect.gen(function* () {
    const of = tx.heads.get(asked.taskId)
    if (asked._tag !== "Complete" || changes.length === 0 || of === undefined) return
    if (yield* Unread.has(tx, of)) {
      return yield* Command.rejected(of.id, asked._tag, of.record.status, "MessagesUnread")
    }
  })

/**
 * Asks the state machine and writes what it decides; `did` goes with the reports. Errors: the rule that forbids it; then
 * nothing is written.
 */
export const request = (tx: Transaction, asked: Protocol.Request, did?: Step.Did) =>
  Effect.gen(function* () {
    yield* load(tx, asked)
    const decision = yield* tx.machine.decide(view(tx), asked)
    yield* allRead(tx, asked, decision)
    yield* apply(tx, decision, did)
  })
