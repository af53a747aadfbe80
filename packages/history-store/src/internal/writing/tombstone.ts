/**
 * What stays of a deleted task: its record, which refuses every late write, one event, and what it cost. While it can be
 * taken back the rest stays as well, and nothing that reads tasks finds it.
 *
 * Everything that was said goes with the commit that deletes the task for good, so a crash leaves nothing half deleted. What came
 * later all the same, such as a request to it, is found by the next sweep, and `deletionUnfinished` finishes the deletion.
 */
import { Reconcile, TaskRecord } from "@belay/task-state"
import * as Effect from "effect/Effect"
import { readableRecord, type RecordColumns } from "../records/rows.ts"
import { forfeit } from "./reservations.ts"
import * as Dialect from "../database/dialect.ts"
import { forget } from "../database/searchPlaces.ts"
import type { Head, Transaction } from "./transaction.ts"

const parts = [
  "message",
  "tool_call",
  "timeline",
  "ask",
  "inbox",
  "context_edit",
  "file_context",
  "focus_chain",
  "usage",
  "lease",
  "search_covers",
  "task_queue",
  "hook_run"
] as const

const isFinish = Reconcile.storedAs("deletionUnfinished")
  .map((rule) => `data LIKE '%"${rule}"%'`)
  .join(" OR ")

/** What stays of its events: that it was deleted, and that the deletion was finished. */
const kept = `(type = 'task.deleted' OR type = 'repaired' AND (${isFinish}))`

/** Removes what a task consists of besides its record. Its events are counted on, so that none has a number twice. */
export const erase = (tx: Transaction, of: Head) =>
  Effect.gen(function* () {
    const { sql } = tx
    yield* forfeit(tx, of)
    for (const part of parts) yield* sql.unsafe(`DELETE FROM ${part} WHERE task = ?`, [of.key])
    yield* forget(sql, of.key)
    yield* sql.unsafe(`DELETE FROM task_event WHERE task = ? AND NOT ${kept}`, [of.key])
    of.lease = undefined
    yield* sql`UPDATE task SET title = '', settings = 'null', deleted_at = NULL WHERE key = ${of.key}`
    const own = tx.pending.filter(({ event }) => event.taskId === of.id)
    for (const one of own) tx.pending.splice(tx.pending.indexOf(one), 1)
    of.metric = { ...of.metric, message_count: 0, context_tokens: 0, checklist_done: null, checklist_total: null }
    of.touched = true
  })

/** What a task consists of stays, and words for it that nobody has read; every other request was for who had it. */
export const putAside = (tx: Transaction, of: Head) =>
  Effect.gen(function* () {
    const { sql } = tx
    yield* forfeit(tx, of)
    yield* sql`DELETE FROM inbox WHERE task = ${of.key} AND kind <> 'message'`
    yield* sql`UPDATE task SET deleted_at = ${tx.now} WHERE key = ${of.key}`
  })

export const takeBack = (tx: Transaction, of: Head) => tx.sql`UPDATE task SET deleted_at = NULL WHERE key = ${of.key}`

/** The deleted tasks of which something is still stored. They count no message, so that no other record is looked at. */
export const remains = (tx: Transaction) => {
  const left = [
    ...parts.map((part) => `EXISTS (SELECT 1 FROM ${part} p WHERE p.task = t.key)`),
    `EXISTS (SELECT 1 FROM task_event p WHERE p.task = t.key AND NOT ${kept})`
  ]
  return Effect.map(
    tx.sql
      .unsafe<RecordColumns>(`SELECT t.key, t.id, t.record FROM task_metric m ${Dialect.of(tx.sql).thenJoin} task t ON t.key = m.task
      WHERE m.message_count = 0 AND t.status = 'completed' AND t.deleted_at IS NULL AND (${left.join(" OR ")})`),
    (rows) => rows.filter((row) => TaskRecord.isTombstone(readableRecord(row))).map((row) => row.id)
  )
}

/** True of the rows that are no tombstone; of a record that cannot be read, nothing else is known. */
export const isKept = ({ ofRecord }: Dialect.Dialect, record: string): string =>
  `${ofRecord(record, "deletedAt")} IS NULL`

/** True of the tombstones. */
export const isGone = ({ ofRecord }: Dialect.Dialect, record: string): string =>
  `${ofRecord(record, "deletedAt")} IS NOT NULL`
