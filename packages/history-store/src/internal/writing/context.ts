/** What is shown instead of a log: edits are added and taken back, and no message is ever changed. */
import { ContextEdit, type Message } from "@belay/message-state"
import { Command, TaskRecord, type TaskId, type Transition } from "@belay/task-state"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type * as Step from "../../history/Step.ts"
import type * as History from "../../history/TaskHistory.ts"
import { type MessageColumns, messageOf, parse } from "../records/rows.ts"
import * as Dialect from "../database/dialect.ts"
import type { Statements } from "../database/statements.ts"
import { type Head, head, note, type Transaction } from "./transaction.ts"

interface EditColumns {
  readonly id: number
  readonly kind: ContextEdit.Change["kind"]
  readonly from_idx: number
  readonly to_idx: number
  readonly content: string
}

/** Of a cut: the events that it hides, the second excluded. */
interface Hidden {
  readonly fromSeq: number
  readonly toSeq: number
}

type StepOf<Tag extends Step.Step["_tag"]> = Extract<Step.Step, { readonly _tag: Tag }>

const changeOf = (row: EditColumns, taskId: TaskId.TaskId): ContextEdit.Change => {
  if (row.kind === "cut") return { kind: "cut" }
  return {
    kind: row.kind,
    ...parse(row.content, `context edit ${row.id} of task ${taskId}`, taskId)
  } as ContextEdit.Change
}

const editOf = (row: EditColumns, taskId: TaskId.TaskId): ContextEdit.ContextEdit => ({
  id: row.id,
  from: row.from_idx,
  to: row.to_idx,
  ...changeOf(row, taskId)
})

const rowsOf = (sql: Statements, key: number) =>
  sql<EditColumns>`SELECT id, kind, from_idx, to_idx, content FROM context_edit
    WHERE task = ${key} AND removed = 0 ORDER BY id`

const keyOf = (sql: SqlClient.SqlClient, id: TaskId.TaskId) =>
  Effect.map(sql<{ key: number }>`SELECT key FROM task WHERE id = ${id}`, (rows) => rows[0]?.key ?? -1)

/** The edits that hold and the messages that they show; what they hide is not read. */
export const shown = (sql: SqlClient.SqlClient, id: TaskId.TaskId) =>
  Effect.gen(function* () {
    const key = yield* keyOf(sql, id)
    const edits = (yield* rowsOf(sql, key)).map((row) => editOf(row, id))
    const hidden = ContextEdit.hidden(edits)
    const outside = hidden.map(() => " AND NOT (idx BETWEEN ? AND ?)").join("")
    const rows = yield* sql.unsafe<MessageColumns>(`SELECT * FROM message WHERE task = ?${outside} ORDER BY idx`, [
      key,
      ...hidden.flatMap(({ from, to }) => [from, to])
    ])
    const log = rows.map((row): Message.LoggedMessage => ({ index: row.idx, ...messageOf(row, id) }))
    const found: History.Shown = { edits, messages: ContextEdit.view(log, edits) }
    return found
  })

/** The events that cuts hide. */
export const cutEvents = (sql: SqlClient.SqlClient, key: number, taskId: TaskId.TaskId) =>
  Effect.map(
    sql<EditColumns>`SELECT id, kind, from_idx, to_idx, content FROM context_edit
      WHERE task = ${key} AND removed = 0 AND kind = 'cut' ORDER BY id`,
    (rows) =>
      rows.map((row) => parse(row.content, `context edit ${row.id} of task ${taskId}`, taskId) as unknown as Hidden)
  )

const nextId = ({ sql }: Transaction, of: Head) =>
  Effect.map(
    sql<{ id: number }>`SELECT coalesce(max(id), 0) + 1 AS id FROM context_edit WHERE task = ${of.key}`,
    (rows) => rows[0]?.id ?? 1
  )

const insert = ({ sql }: Transaction, of: Head, id: number, edit: ContextEdit.Draft, content: object) =>
  sql`INSERT INTO context_edit (task, id, kind, from_idx, to_idx, content)
    VALUES (${of.key}, ${id}, ${edit.kind}, ${edit.from}, ${edit.to}, ${JSON.stringify(content)})`

/** Stores edits, each after those that are there. */
export const insertAll = (tx: Transaction, of: Head, edits: ReadonlyArray<ContextEdit.Draft>) =>
  Effect.gen(function* () {
    let id = yield* nextId(tx, of)
    for (const edit of edits) {
      const { from: _from, kind: _kind, to: _to, ...content } = edit
      yield* insert(tx, of, id++, edit, content)
    }
  })

/** Stores edits that make the conversation shorter for the model. */
export const condense = (tx: Transaction, of: Head, step: StepOf<"Condensed">) =>
  Effect.gen(function* () {
    yield* insertAll(tx, of, step.edits)
    of.metric = { ...of.metric, context_tokens: step.after }
    const { after, before, removed } = step
    note(tx, of, { type: "context.condensed", step: step.step, before, after, removed })
  })

const atRest = (tx: Transaction, taskId: TaskId.TaskId, command: string) =>
  Effect.gen(function* () {
    const refuse = (status: TaskRecord.Status | "absent", rule: Transition.Rule) =>
      Command.rejected(taskId, command, status, rule)
    const of = yield* head(tx, taskId)
    if (of === undefined) return yield* refuse("absent", "NotFound")
    const { status } = of.record
    if (status === "completed") return yield* refuse(status, TaskRecord.isTombstone(of.record) ? "Deleted" : "Terminal")
    if (of.lease !== undefined && tx.alive(of.lease.ownerId)) return yield* refuse(status, "StopFirst")
    return of
  })

/** Where a cut begins: before the newest answer whose calls would lose their results, else where it is asked to. */
const beginning = ({ sql }: Transaction, of: Head, from: number) =>
  Effect.map(
    sql<{ asked: number; answered: number }>`SELECT calls.idx AS asked,
        EXISTS (SELECT 1 FROM message r WHERE r.task = ${of.key} AND r.idx > calls.idx AND r.idx < ${from}
          AND r.role = 'user' AND r.content LIKE '[{"type":"tool_result"%') AS answered
      FROM (SELECT max(idx) AS idx FROM message WHERE task = ${of.key} AND idx < ${from} AND role = 'assistant'
        AND content LIKE '%"type":"tool_use"%') calls WHERE calls.idx IS NOT NULL`,
    (rows) => (rows[0]?.answered === 0 ? rows[0].asked : from)
  )

/** The conversation ends before a message, for the model and for people. Calls that it hides are settled for good. */
export const cut = (tx: Transaction, { from: asked, taskId }: StepOf<"ConversationCut">) =>
  Effect.gen(function* () {
    const { sql } = tx
    const of = yield* atRest(tx, taskId, "ConversationCut")
    const refuse = (rule: Transition.Rule) => Command.rejected(taskId, "ConversationCut", of.record.status, rule)
    const to = of.metric.message_count - 1
    const from = yield* beginning(tx, of, asked)
    if (asked < 1 || asked > to || from < 1) return yield* refuse("Changed")
    const cutCalls = yield* sql<{ call_id: string; message_idx: number }>`SELECT call_id, message_idx FROM tool_call
      WHERE task = ${of.key} AND message_idx >= ${from} AND state NOT IN ('finished', 'unknown')`
    const awaited = new Set(Object.values(TaskRecord.awaiting(of.record)).map(({ callId }) => callId))
    if (cutCalls.some(({ call_id }) => awaited.has(call_id))) return yield* refuse("ChildrenPending")
    yield* sql`UPDATE tool_call SET state = 'unknown', is_error = 1, result = NULL
      WHERE task = ${of.key} AND message_idx >= ${from} AND state NOT IN ('finished', 'unknown')`
    yield* sql`UPDATE ask SET open = 0, settled_by = 'cut' WHERE task = ${of.key} AND open = 1 AND call_id IN
      (SELECT call_id FROM tool_call WHERE task = ${of.key} AND message_idx >= ${from})`
    const first = yield* sql.unsafe<{ seq: number | null }>(
      `SELECT min(seq) AS seq FROM task_event WHERE task = ? AND type = 'message' AND ${Dialect.of(sql).whole("data", "i")} >= ?`,
      [of.key, from]
    )
    const fromSeq = first[0]?.seq ?? of.metric.last_seq + 1
    const edit = yield* nextId(tx, of)
    note(tx, of, { type: "conversation.cut", edit, from, to, fromSeq })
    const hidden: Hidden = { fromSeq, toSeq: of.metric.last_seq }
    yield* insert(tx, of, edit, { kind: "cut", from, to }, hidden)
    // What filled the context is gone; the next answer says how much there is.
    of.metric = { ...of.metric, context_tokens: 0 }
  })

/** Takes an edit back. A cut stays once the conversation has gone on: its end would stand in the middle. */
export const uncut = (tx: Transaction, { edit, taskId }: StepOf<"ConversationUncut">) =>
  Effect.gen(function* () {
    const { sql } = tx
    const of = yield* atRest(tx, taskId, "ConversationUncut")
    const removed = yield* sql<{ id: number }>`UPDATE context_edit SET removed = 1
      WHERE task = ${of.key} AND id = ${edit} AND removed = 0
        AND (kind <> 'cut' OR to_idx = ${of.metric.message_count - 1}) RETURNING id`
    if (removed.length === 0) {
      return yield* Command.rejected(taskId, "ConversationUncut", of.record.status, "Changed")
    }
    note(tx, of, { type: "conversation.uncut", edit })
  })

/** Gives the copy of a log the edits that hold for it. */
export const copy = (tx: Transaction, from: Head, of: Head, through: number): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const edits = (yield* rowsOf(tx.sql, from.key)).map((row) => editOf(row, from.id))
    for (const { id, ...edit } of ContextEdit.within(edits, through)) {
      const { from: _from, kind, to: _to, ...content } = edit
      // None of the copied messages is an event of the copy.
      yield* insert(tx, of, id, edit, kind === "cut" ? { fromSeq: 0, toSeq: 0 } : content)
    }
  })
