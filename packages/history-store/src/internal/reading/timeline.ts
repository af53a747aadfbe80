/**
 * What people see of a task, a page at a time: its durable events in whole turns, without those that a cut hides.
 *
 * A page begins where nothing before it is needed to tell what follows, so rows that are made of a page have the same ids
 * and texts as rows that are made of all events.
 */
import { Message } from "@belay/message-state"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type * as History from "../../history/TaskHistory.ts"
import * as Dialect from "../database/dialect.ts"
import * as Context from "../writing/context.ts"
import { type EventColumns, hydrate } from "../records/hydrate.ts"
import { contentOf, type MessageColumns } from "../records/rows.ts"

interface Place {
  readonly key: number
  /** The condition of all statements here, as SQL and its parameters. */
  readonly where: string
  readonly params: ReadonlyArray<number>
}

const placeOf = (sql: SqlClient.SqlClient, id: TaskId.TaskId) =>
  Effect.gen(function* () {
    const rows = yield* sql<{ key: number }>`SELECT key FROM task WHERE id = ${id}`
    const key = rows[0]?.key ?? -1
    const cuts = yield* Context.cutEvents(sql, key, id)
    const outside = cuts.map(() => " AND NOT (e.seq >= ? AND e.seq < ?)").join("")
    const place: Place = {
      key,
      where: `e.task = ?${outside}`,
      params: [key, ...cuts.flatMap(({ fromSeq, toSeq }) => [fromSeq, toSeq])]
    }
    return place
  })

/** The last turn start at or before the place where `limit` events are reached, counted back from `before`. */
const startOf = (sql: SqlClient.SqlClient, { key, params, where }: Place, before: number, limit: number) =>
  Effect.gen(function* () {
    const counted = yield* sql.unsafe<{ seq: number }>(
      `SELECT e.seq FROM task_event e WHERE ${where} AND e.seq < ? ORDER BY e.seq DESC LIMIT 1 OFFSET ?`,
      [...params, before, limit - 1]
    )
    const reached = counted[0]?.seq
    if (reached === undefined) return 1
    const turns = yield* sql.unsafe<{ seq: number }>(
      `SELECT e.seq FROM task_event e JOIN message m ON m.task = ? AND m.idx = ${Dialect.of(sql).whole("e.data", "i")}
        WHERE ${where} AND e.type = 'message' AND m.role = 'assistant' AND e.seq <= ? ORDER BY e.seq DESC LIMIT 1`,
      [key, ...params, reached]
    )
    return turns[0]?.seq ?? 1
  })

export const page = (
  sql: SqlClient.SqlClient,
  id: TaskId.TaskId,
  { before = Number.MAX_SAFE_INTEGER, limit }: History.TimelineQuery
) =>
  Effect.gen(function* () {
    const place = yield* placeOf(sql, id)
    const from = yield* startOf(sql, place, before, Math.max(1, limit))
    const rows = yield* sql.unsafe<EventColumns>(
      `SELECT e.task AS key, e.seq, e.ts, e.type, e.data FROM task_event e
        WHERE ${place.where} AND e.seq >= ? AND e.seq < ? ORDER BY e.seq`,
      [...place.params, from, before]
    )
    const events = yield* hydrate(sql, id, rows)
    const found: History.TimelinePage = { events, ...(from <= 1 ? {} : { earlier: from }) }
    return found
  })

interface TurnColumns extends MessageColumns {
  readonly seq: number
  readonly ts: number
}

/** Characters of a line of an outline. */
const longest = 200

const firstLine = (text: string): string => {
  const line = text.split("\n").find((candidate) => candidate.trim() !== "") ?? ""
  return line.trim().slice(0, longest)
}

/** Each text of each message that is no result, in order. */
export const outline = (sql: SqlClient.SqlClient, id: TaskId.TaskId) =>
  Effect.gen(function* () {
    const { key, params, where } = yield* placeOf(sql, id)
    const rows = yield* sql.unsafe<TurnColumns>(
      `SELECT e.seq, e.ts, m.idx, m.role, m.content FROM task_event e
        JOIN message m ON m.task = ? AND m.idx = ${Dialect.of(sql).whole("e.data", "i")}
        WHERE ${where} AND e.type = 'message' AND m.role = 'user' AND m.content NOT LIKE '[{"type":"tool_result"%'
        ORDER BY e.seq`,
      [key, ...params]
    )
    return rows.flatMap((row): ReadonlyArray<History.OutlineEntry> => {
      const block = contentOf(row, id).find((found): found is Message.TextBlock => found.type === "text")
      return block === undefined
        ? []
        : [{ seq: row.seq, ts: row.ts, messageIndex: row.idx, text: firstLine(block.text) }]
    })
  })
