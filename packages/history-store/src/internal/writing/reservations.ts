/** Reservations of model calls inside a transaction: made against the limits of a tree, and what becomes of them. */
import type { Usage } from "@belay/message-state"
import type { Command, TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import * as Reservation from "../../history/Reservation.ts"
import type * as Step from "../../history/Step.ts"
import * as Calls from "./calls.ts"
import { readableRecord, type RecordColumns } from "../records/rows.ts"
import { fenced, head, type Head, type Transaction } from "./transaction.ts"

interface ReservationColumns {
  readonly id: string
  readonly model: string
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cost_usd: number | null
}

interface TreeColumns {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_tokens: number
  readonly cache_write_tokens: number
  readonly cost_usd: number
  readonly unpriced: number
  readonly requests: number
  readonly open_input: number
  readonly open_output: number
  readonly open_cost: number
  readonly open_unpriced: number
  readonly open: number
}

/** What a task and everything below it has used, and what is reserved there besides one reservation. */
const treeOf = ({ sql }: Transaction, root: TaskId.TaskId, besides: string) =>
  Effect.map(
    sql<TreeColumns>`WITH RECURSIVE tree (key, id) AS (
        SELECT key, id FROM task WHERE id = ${root}
        UNION SELECT t.key, t.id FROM task t JOIN tree ON t.parent_id = tree.id)
      SELECT coalesce(sum(m.input_tokens), 0) AS input_tokens, coalesce(sum(m.output_tokens), 0) AS output_tokens,
        coalesce(sum(m.cache_read_tokens), 0) AS cache_read_tokens,
        coalesce(sum(m.cache_write_tokens), 0) AS cache_write_tokens, coalesce(sum(m.cost_usd), 0) AS cost_usd,
        count(*) - count(m.cost_usd) AS unpriced, coalesce(sum(m.requests), 0) AS requests,
        coalesce(sum(r.input_tokens), 0) AS open_input, coalesce(sum(r.output_tokens), 0) AS open_output,
        coalesce(sum(r.cost_usd), 0) AS open_cost, count(r.id) - count(r.cost_usd) AS open_unpriced,
        count(r.id) AS open
      FROM tree JOIN task_metric m ON m.task = tree.key
        LEFT JOIN reservation r ON r.task = tree.key AND r.id <> ${besides}`,
    ([row]): { readonly used: Usage.UsageTotal; readonly open: Usage.UsageTotal } => ({
      used: {
        inputTokens: row?.input_tokens ?? 0,
        outputTokens: row?.output_tokens ?? 0,
        cacheReadTokens: row?.cache_read_tokens ?? 0,
        cacheWriteTokens: row?.cache_write_tokens ?? 0,
        costUsd: (row?.unpriced ?? 0) > 0 ? null : (row?.cost_usd ?? 0),
        requests: row?.requests ?? 0
      },
      open: {
        inputTokens: row?.open_input ?? 0,
        outputTokens: row?.open_output ?? 0,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        costUsd: (row?.open_unpriced ?? 0) > 0 ? null : (row?.open_cost ?? 0),
        requests: row?.open ?? 0
      }
    })
  )

/** Of a call that nobody will tell of any more: all that it may have taken counts as used. */
export const forfeit = (tx: Transaction, of: Head, besides = ""): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const { sql } = tx
    const rows = yield* sql<ReservationColumns>`DELETE FROM reservation WHERE task = ${of.key} AND id <> ${besides}
      RETURNING id, model, input_tokens, output_tokens, cost_usd`
    for (const { cost_usd: costUsd, input_tokens, model, output_tokens } of rows) {
      const usage = {
        inputTokens: input_tokens,
        outputTokens: output_tokens,
        cacheReadTokens: 0,
        cacheWriteTokens: 0
      }
      yield* Calls.spent(tx, of, { usage, model, costUsd }, "reckoned")
    }
  })

/** Reserves what one call may take, or says which limit it would pass. Errors: `LeaseLost`. */
export const reserve = (
  tx: Transaction,
  asked: Reservation.Asked
): Effect.Effect<Reservation.Reserved, Command.TransitionRejected | SqlError> =>
  Effect.gen(function* () {
    const { sql } = tx
    const of = yield* fenced(tx, asked)
    let granted = asked.outputTokens
    for (const { limits, taskId } of asked.scopes) {
      const { open, used } = yield* treeOf(tx, taskId, asked.id)
      const found = Reservation.granted(limits, used, open, asked)
      if ("limit" in found) return { _tag: "Refused", by: taskId, limit: found.limit, used, open } as const
      granted = Math.min(granted, found.outputTokens)
    }
    const { costUsd, inputTokens, outputTokens } = Reservation.withOutput(asked, granted)
    yield* forfeit(tx, of, asked.id)
    yield* sql`INSERT INTO reservation (task, id, owner_id, attempt, model, input_tokens, output_tokens, cost_usd)
      VALUES (${of.key}, ${asked.id}, ${tx.me}, ${asked.attempt}, ${asked.model}, ${inputTokens},
        ${outputTokens}, ${costUsd})
      ON CONFLICT (task) DO UPDATE SET model = excluded.model, input_tokens = excluded.input_tokens,
        output_tokens = excluded.output_tokens, cost_usd = excluded.cost_usd`
    return { _tag: "Reserved", outputTokens } as const
  })

/** A call is over without an answer. One whose reservation is gone has been counted in full. */
export const unanswered = (tx: Transaction, step: Extract<Step.Step, { readonly _tag: "Unanswered" }>) =>
  Effect.gen(function* () {
    const { sql } = tx
    const { costUsd, model, reservation, taskId, usage } = step
    const of = yield* head(tx, taskId)
    if (of === undefined) return
    if (reservation !== undefined) {
      const ended = yield* sql`DELETE FROM reservation WHERE task = ${of.key} AND id = ${reservation} RETURNING id`
      if (ended.length === 0) return
    }
    if (usage !== undefined) yield* Calls.spent(tx, of, { usage, model, costUsd }, "reckoned")
  })

/** What owners that are gone had reserved; without a row an owner has left or is proven dead. */
export const forfeitOfGone = (tx: Transaction): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const { sql } = tx
    const left = yield* sql<RecordColumns>`SELECT t.key, t.id, t.record FROM reservation r JOIN task t ON t.key = r.task
      WHERE r.owner_id NOT IN (SELECT owner_id FROM owner)`
    for (const row of left) {
      // Where the record cannot be read, it goes on counting as reserved.
      const of = readableRecord(row) === undefined ? undefined : yield* head(tx, row.id)
      if (of !== undefined) yield* forfeit(tx, of)
    }
  })
