/**
 * What stays of a deleted task: its record, which refuses every late write, one event, and what it cost.
 *
 * Everything that was said goes with the commit that deletes the task, so a crash leaves nothing half deleted.
 */
import * as Effect from "effect/Effect"
import type { Head, Transaction } from "./transaction.ts"

const parts = [
  "message",
  "tool_call",
  "timeline",
  "ask",
  "inbox",
  "context_edit",
  "focus_chain",
  "usage",
  "task_event"
] as const

/** Removes what a task consists of besides its record. Its events are counted on, so that none has a number twice. */
export const erase = (tx: Transaction, of: Head) =>
  Effect.gen(function* () {
    const { sql } = tx
    for (const part of parts) yield* sql`DELETE FROM ${sql(part)} WHERE task = ${of.key}`
    yield* sql`UPDATE task SET title = '', settings = 'null' WHERE key = ${of.key}`
    const own = tx.pending.filter(({ event }) => event.taskId === of.id)
    for (const one of own) tx.pending.splice(tx.pending.indexOf(one), 1)
    of.metric = { ...of.metric, message_count: 0, context_tokens: 0, checklist_done: null, checklist_total: null }
    of.touched = true
  })

/** True of the rows that are no tombstone; of a record that cannot be read, nothing else is known. */
export const isKept = (record: string): string =>
  `(CASE WHEN json_valid(${record}) THEN json_extract(${record}, '$.deletedAt') END) IS NULL`
