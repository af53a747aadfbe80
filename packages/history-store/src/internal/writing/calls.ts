/**
 * Messages and tool calls inside a transaction.
 *
 * The one place where a call is answered: each call once, and when the last call of the turn is settled one user message
 * with all results in call order. A result is stored with its call only until that message holds it.
 */
import { Message, Origin, Usage } from "@belay/message-state"
import { Reconcile, TaskRecord, type Protocol } from "@belay/task-state"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type * as Event from "../../history/Event.ts"
import type * as Step from "../../history/Step.ts"
import * as Audit from "../records/audit.ts"
import * as CallEnd from "../records/callEnd.ts"
import * as Context from "./context.ts"
import * as Files from "./files.ts"
import { messageOf } from "./inbox.ts"
import { type CallColumns, storedResult } from "../records/rows.ts"
import { head, note, spend, type Head, type Transaction } from "./transaction.ts"

const isSettled = (state: Event.CallState): boolean => state === "finished" || state === "unknown"

/** Appends a message to the log of a task; it gets the next index. */
export const append = (tx: Transaction, of: Head, message: Message.Message): Effect.Effect<number, SqlError> => {
  const index = of.metric.message_count
  of.metric = { ...of.metric, message_count: index + 1 }
  const { by, content, from, role } = message
  const who = { ...(by === undefined ? {} : { by }), ...(from === undefined ? {} : { from }) }
  note(tx, of, { type: "message", index, role, content, ...who }, { i: index })
  const { sql } = tx
  return Effect.as(
    sql`INSERT INTO message (task, idx, role, content, made_by, origin)
      VALUES (${of.key}, ${index}, ${role}, ${JSON.stringify(content)}, ${by === undefined ? null : JSON.stringify(by)},
        ${from === undefined ? null : Origin.encode(from)})`,
    index
  )
}

/** Copies the beginning of another task's log. Its messages are no events of this task, and its calls are settled. */
export const copyLog = (
  tx: Transaction,
  of: Head,
  from: NonNullable<Extract<Step.Step, { _tag: "Describe" }>["after"]>
) =>
  Effect.gen(function* () {
    const { sql } = tx
    const source = yield* head(tx, from.taskId)
    if (source === undefined) return
    yield* sql`INSERT INTO message (task, idx, role, content, made_by, origin)
      SELECT ${of.key}, idx, role, content, made_by, origin FROM message
      WHERE task = ${source.key} AND idx <= ${from.through}`
    yield* Files.copy(tx, of, source, from.through)
    const count = Math.min(source.metric.message_count, from.through + 1)
    of.metric = { ...of.metric, message_count: count }
    yield* Context.copy(tx, source, of, count - 1)
  })

const argsOf = (message: Message.Message, callId: string): unknown =>
  Message.toolUses(message).find((block) => block.id === callId)?.input

/** Stores what a model call cost, in the place of what was reserved for it; `reckoned`: it brought no answer. */
export const spent = (
  tx: Transaction,
  of: Head,
  step: Pick<Extract<Step.Step, { _tag: "Spent" }>, "usage" | "model" | "costUsd">,
  reckoned?: "reckoned"
) =>
  Effect.gen(function* () {
    const { sql } = tx
    const { context_tokens } = of.metric
    spend(of, step.usage, step.costUsd)
    if (reckoned === undefined) {
      yield* sql`DELETE FROM reservation WHERE task = ${of.key} AND attempt = ${of.record.attempt}`
    } else of.metric = { ...of.metric, context_tokens }
    // Nothing that was said is left of a deleted task; what it cost is.
    if (TaskRecord.isTombstone(of.record)) return
    const n = of.metric.requests
    const { cacheReadTokens, cacheWriteTokens, inputTokens, outputTokens } = step.usage
    yield* sql`INSERT INTO usage (task, n, model, input_tokens, output_tokens, cache_read_tokens,
        cache_write_tokens, cost_usd)
      VALUES (${of.key}, ${n}, ${step.model}, ${inputTokens}, ${outputTokens}, ${cacheReadTokens},
        ${cacheWriteTokens}, ${step.costUsd})`
    const usage = { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }
    const contextTokens = Usage.contextTokens(usage)
    const partial = reckoned === undefined ? {} : { partial: true as const }
    const told = { model: step.model, ...usage, costUsd: step.costUsd, contextTokens, ...partial }
    note(tx, of, { type: "usage", ...told }, { n, ...partial })
  })

/** Stores the model's answer, its calls as requested, and what it cost. */
export const answer = (tx: Transaction, of: Head, step: Extract<Step.Step, { _tag: "Answer" }>) =>
  Effect.gen(function* () {
    const { sql } = tx
    const index = yield* append(tx, of, step.message)
    for (const [position, call] of step.calls.entries()) {
      const state = call.started === true ? "started" : "requested"
      yield* sql`INSERT INTO tool_call (task, message_idx, position, call_id, name, args_hash, state)
        VALUES (${of.key}, ${index}, ${position}, ${call.callId}, ${call.name}, ${call.argsHash}, ${state})`
      note(
        tx,
        of,
        { type: "tool.requested", callId: call.callId, name: call.name, args: argsOf(step.message, call.callId) },
        { m: index, p: position }
      )
    }
    yield* spent(tx, of, step)
    for (const [position, call] of step.calls.entries()) {
      if (call.started === true) noteStarted(tx, of, call, { m: index, p: position })
    }
  })

const noteStarted = (
  tx: Transaction,
  of: Head,
  { argsHash, callId, name, ...audit }: Pick<Step.CallRequested, "argsHash" | "callId" | "name"> & Audit.Partly,
  at: { readonly m: number; readonly p: number }
) => {
  const decided = Audit.of(audit)
  note(tx, of, { type: "tool.started", callId, name, argsHash, ...decided }, { ...at, ...decided })
}

/** The calls of the newest turn that has any, in call order. */
const newestTurn = (tx: Transaction, of: Head) => {
  const { sql } = tx
  return sql<CallColumns>`SELECT message_idx, position, call_id, name, args_hash, state, is_error, result FROM tool_call
    WHERE task = ${of.key} AND message_idx = (SELECT max(message_idx) FROM tool_call WHERE task = ${of.key})
    ORDER BY position`
}

/** Moves calls of the newest turn forward, never back; a settled call stays as it is. */
export const advance = (
  tx: Transaction,
  of: Head,
  callIds: ReadonlyArray<string>,
  state: "approved" | "started",
  {
    asks = {},
    rules = {},
    sandboxes = {}
  }: Pick<Extract<Step.Step, { _tag: "CallsStarted" }>, "asks" | "rules" | "sandboxes"> = {}
): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const { sql } = tx
    for (const call of yield* newestTurn(tx, of)) {
      if (!callIds.includes(call.call_id) || isSettled(call.state)) continue
      if (call.state === "started" || call.state === state) continue
      yield* sql`UPDATE tool_call SET state = ${state}
        WHERE task = ${of.key} AND message_idx = ${call.message_idx} AND call_id = ${call.call_id}`
      if (state === "approved") continue
      const own = <A>(given: Readonly<Record<string, A>>): A | undefined =>
        Object.hasOwn(given, call.call_id) ? given[call.call_id] : undefined
      const decided = { rule: own(rules), askId: own(asks), sandbox: own(sandboxes) }
      const body = { callId: call.call_id, name: call.name, argsHash: call.args_hash, ...decided }
      noteStarted(tx, of, body, { m: call.message_idx, p: call.position })
    }
  })

const resultBlock = (callId: string, content: Message.ToolResultBlock["content"], isError: boolean) =>
  ({
    type: "tool_result",
    tool_use_id: callId,
    content,
    ...(isError ? { is_error: true } : {})
  }) satisfies Message.ToolResultBlock

/** The first result given for each call that is still open. */
const openResults = (calls: ReadonlyArray<CallColumns>, results: ReadonlyArray<Step.CallResult>) => {
  const fresh = new Map<string, Step.CallResult>()
  for (const result of results) {
    const open = calls.some((call) => call.call_id === result.callId && !isSettled(call.state))
    if (open && !fresh.has(result.callId)) fresh.set(result.callId, result)
  }
  return fresh
}

/**
 * Answers calls of the newest turn, each once; the last one sends all results in one user message.
 * `producedBy` is the child or rule that answered; `null` is the runner that has the lease.
 */
export const settle = (
  tx: Transaction,
  of: Head,
  results: ReadonlyArray<Step.CallResult>,
  producedBy: string | null
): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const { sql } = tx
    const calls = yield* newestTurn(tx, of)
    const fresh = openResults(calls, results)
    if (fresh.size === 0) return
    const complete = calls.every((call) => isSettled(call.state) || fresh.has(call.call_id))
    const blocks: Array<Message.ToolResultBlock> = []
    const from: Array<Origin.Origin> = []
    for (const call of calls) {
      const result = fresh.get(call.call_id)
      from.push(result === undefined ? "unknown" : (result.from ?? "tool"))
      if (result === undefined) {
        blocks.push(resultBlock(call.call_id, storedResult(call, of.id), call.is_error === 1))
        continue
      }
      const { content, files = [], isError, state } = result
      yield* Files.keep(tx, of, call.message_idx, files)
      blocks.push(resultBlock(call.call_id, content, isError))
      yield* sql`UPDATE tool_call SET state = ${state}, is_error = ${isError ? 1 : 0},
          result = ${complete ? null : JSON.stringify(content)}, produced_by = ${producedBy}
        WHERE task = ${of.key} AND message_idx = ${call.message_idx} AND call_id = ${call.call_id}`
      const finished = { type: "tool.finished" as const, callId: call.call_id, name: call.name, isError, state }
      const end = CallEnd.of(result)
      note(tx, of, { ...finished, result: content, ...end }, { m: call.message_idx, p: call.position, ...end })
    }
    if (!complete) return
    if (calls.some((call) => call.result !== null)) {
      yield* sql`UPDATE tool_call SET result = NULL
        WHERE task = ${of.key} AND message_idx = ${calls[0]?.message_idx ?? -1} AND result IS NOT NULL`
    }
    yield* append(tx, of, { role: "user", content: blocks, from })
    yield* deliverQueued(tx, of)
  })

/** What the user said while calls were open, in the order in which it was said. */
const deliverQueued = (tx: Transaction, of: Head) =>
  Effect.gen(function* () {
    const { sql } = tx
    const queued = yield* sql<{ id: string; payload: string }>`SELECT id, payload FROM inbox
      WHERE task = ${of.key} AND kind = 'message' AND applied_at IS NULL ORDER BY rowid`
    for (const { id, payload } of queued) {
      yield* sql`UPDATE inbox SET applied_at = ${tx.now} WHERE id = ${id}`
      const { attached = [], from = "unknown", text } = messageOf(payload)
      const words = Message.isSaid(text) ? [Message.from(from, Message.text(text))] : []
      const message = Message.joined(...words, Message.from("user.file", ...attached))
      if (message.content.length > 0) yield* append(tx, of, message)
    }
  })

/** Delivers what is queued when no call is open. */
export const deliver = (tx: Transaction, of: Head) =>
  Effect.gen(function* () {
    const calls = yield* newestTurn(tx, of)
    if (calls.every((call) => isSettled(call.state))) yield* deliverQueued(tx, of)
  })

/** Queues what the user says, and delivers it at once when no call is open and none may be arriving. */
export const say = (tx: Transaction, of: Head, step: Extract<Step.Step, { _tag: "Say" }>) =>
  Effect.gen(function* () {
    const { sql } = tx
    const { attached, from = "user", text } = step
    const payload = JSON.stringify({ text, attached, from })
    yield* sql`INSERT INTO inbox (id, task, attempt, kind, payload, requested_by, created_at)
      VALUES (${step.id}, ${of.key}, ${step.attempt}, 'message', ${payload}, ${tx.me}, ${tx.now}) ON CONFLICT DO NOTHING`
    if (step.queued !== true) yield* deliver(tx, of)
  })

/** How a child ended, in brackets, with what it did. */
const headOf = ({ childId, outcome }: Protocol.Settlement, did: Step.Did): string => {
  const what = did[childId]
  return `[task ${childId}: ${outcome}${what === undefined ? "" : `, ${what}`}]`
}

/** What the parent's model reads of a child: its result unchanged, and what it did; or plainly that there is none. */
const reportOf = (settlement: Protocol.Settlement, did: Step.Did): Step.CallResult => {
  const summary = settlement.summary === "" ? Reconcile.missingSummary : settlement.summary
  const succeeded = settlement.outcome === "succeeded"
  const head = headOf(settlement, did)
  const after = did[settlement.childId] === undefined ? [] : [Message.text(head)]
  return {
    callId: settlement.callId,
    content: succeeded ? [Message.text(summary), ...after] : [Message.text(`${head} ${summary}`)],
    isError: !succeeded,
    state: "finished"
  }
}

/** Delivers a child's report as the result of the call that asked for it. */
export const settleChild = (tx: Transaction, settlement: Protocol.Settlement, did: Step.Did) =>
  Effect.flatMap(head(tx, settlement.taskId), (of) =>
    of === undefined ? Effect.void : settle(tx, of, [reportOf(settlement, did)], settlement.childId)
  )

/**
 * Delivers the report of a child whose call was answered before: a user message, once. `queued`: not at once, because an
 * answer may be arriving that has not seen it.
 */
export const tellOfChild = (tx: Transaction, report: Protocol.Settlement, did: Step.Did, queued: boolean) =>
  Effect.flatMap(head(tx, report.taskId), (of) => {
    if (of === undefined) return Effect.void
    const text = `${headOf(report, did)} ${report.summary}`
    const id = `report-${report.taskId}-${report.childId}`
    const said = { _tag: "Say", taskId: of.id, attempt: of.record.attempt, id, text, from: "engine.report" } as const
    return say(tx, of, queued ? { ...said, queued } : said)
  })
