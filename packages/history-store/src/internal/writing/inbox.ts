/** The inbox as a table: what is asked stands in the payload, and `Say` queues its messages in the same rows. */
import { Origin } from "@belay/message-state"
import { TaskId } from "@belay/task-state"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Answerer } from "../../history/Event.ts"
import type { HistoryError } from "../../history/HistoryError.ts"
import type { Queued, Reply, Request, RequestBody, UnreadableRequest, Withdrawn } from "../../history/Inbox.ts"
import type { Guard } from "../database/guard.ts"

interface RequestColumns {
  readonly id: string
  readonly task_id: TaskId.TaskId
  readonly attempt: number
  readonly kind: string
  readonly payload: string
  readonly requested_by: string
}

const text = Schema.optionalKey(Schema.String)

const Attachment = Schema.Union([
  Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }),
  Schema.Struct({
    type: Schema.Literal("image"),
    source: Schema.Struct({ type: Schema.Literal("base64"), media_type: Schema.String, data: Schema.String })
  })
])
const attached = Schema.optionalKey(Schema.Array(Attachment))

const payloads = {
  interrupt: Schema.Struct({}),
  message: Schema.Struct({
    text: Schema.String,
    attached,
    // Absent in what was said before it was told.
    from: Schema.optionalKey(Origin.Origin)
  }),
  answer: Schema.Struct({
    attached,
    askId: Schema.String,
    decision: Schema.optionalKey(Schema.Literals(["allow", "deny"])),
    text,
    grant: Schema.optionalKey(Schema.Literal("task")),
    edited: Schema.optionalKey(Schema.Array(Schema.Struct({ resolved: Schema.String, text: Schema.String })))
  }),
  mode: Schema.Struct({ mode: Schema.Literals(["plan", "act"]), text, attached }),
  abandon: Schema.Struct({ child: TaskId.TaskId }),
  restart: Schema.Struct({ child: TaskId.TaskId, to: TaskId.TaskId, message: text }),
  delete: Schema.Struct({
    subtasks: Schema.Literals(["delete", "keep"]),
    forever: Schema.optionalKey(Schema.Literal(true))
  })
} as const satisfies Record<Request["kind"], unknown>

const decoders = new Map(
  Object.entries(payloads).map(([kind, payload]) => [
    kind,
    Schema.decodeUnknownResult(Schema.fromJsonString(payload as Schema.Codec<unknown, unknown>))
  ])
)

/** What a damaged message reads: that something was said is not lost. */
const unreadableMessage = "[Something was said to this task here, and it cannot be read any more.]"

const decodeMessage = Schema.decodeUnknownResult(Schema.fromJsonString(payloads.message))

/** The words of a stored message, and what came with them. */
export const messageOf = (payload: string): typeof payloads.message.Type =>
  Result.getOrElse(decodeMessage(payload), () => ({ text: unreadableMessage }))

const wordsOf = (payload: string) => {
  const { from: _from, ...words } = messageOf(payload)
  return words
}

/** A process of an older version asks for a restart by another name. */
const kindOf = (stored: string): string => (stored === "redelegate" ? "restart" : stored)

const requestOf = (row: RequestColumns): Request | UnreadableRequest => {
  const common = { id: row.id, taskId: row.task_id, attempt: row.attempt, by: row.requested_by }
  const kind = kindOf(row.kind)
  if (kind === "message") return { ...common, kind, ...wordsOf(row.payload) }
  const payload = decoders.get(kind)?.(row.payload)
  if (payload === undefined || Result.isFailure(payload)) return { ...common, kind: "unreadable" }
  return { ...common, ...({ ...(payload.success as object), kind } as RequestBody) }
}

/** What answers comes with the process that says it: no other one can say it for it. */
const payloadOf = (
  { attempt: _attempt, by: _by, id: _id, kind, taskId: _taskId, ...payload }: Request,
  process: Answerer
) => {
  if (kind === "message") return JSON.stringify({ ...payload, from: "user" satisfies Origin.Origin })
  return JSON.stringify(kind === "answer" || kind === "mode" ? { ...payload, process } : payload)
}

interface ReplyColumns {
  readonly accepted_at: number | null
  readonly applied_at: number | null
  readonly refusal: string | null
}

const replyOf = ({ accepted_at, applied_at, refusal }: ReplyColumns): Reply | undefined => {
  if (refusal !== null) return { _tag: "refused", why: refusal }
  if (applied_at !== null) return { _tag: "applied" }
  return accepted_at === null ? undefined : { _tag: "accepted" }
}

type Writes<A> = Effect.Effect<A, SqlError | HistoryError>

/**
 * The requests of one database, in the order in which they came to it, whatever the clocks of their processes say; `me`
 * owns the leases whose requests are pending.
 */
export const make = (sql: SqlClient.SqlClient, guard: Guard, me: string, process: Answerer) => ({
  post: (request: Request): Writes<unknown> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      guard.write(
        [request.taskId],
        sql`INSERT INTO inbox (id, task, attempt, kind, payload, requested_by, created_at)
        SELECT ${request.id}, key, ${request.attempt}, ${request.kind}, ${payloadOf(request, process)}, ${request.by}, ${now}
        FROM task WHERE id = ${request.taskId} ON CONFLICT DO NOTHING`
      )
    ),
  pending: Effect.map(
    sql<RequestColumns>`SELECT i.id, t.id AS task_id, i.attempt, i.kind, i.payload, i.requested_by
      FROM inbox i JOIN lease l ON l.task = i.task JOIN task t ON t.key = i.task
      WHERE i.applied_at IS NULL AND (i.attempt = l.attempt OR i.kind = 'message') AND l.owner_id = ${me}
      ORDER BY i.rowid`,
    (rows) => rows.map(requestOf)
  ),
  queued: (id: TaskId.TaskId): Effect.Effect<ReadonlyArray<Queued>, SqlError> =>
    Effect.map(
      sql<{ readonly id: string; readonly payload: string; readonly created_at: number }>`
        SELECT i.id, i.payload, i.created_at FROM inbox i JOIN task t ON t.key = i.task
        WHERE t.id = ${id} AND i.kind = 'message' AND i.applied_at IS NULL ORDER BY i.rowid`,
      (rows) =>
        rows.map((row) => {
          const { attached = [], from = "unknown", text } = messageOf(row.payload)
          return {
            id: row.id,
            text,
            from,
            images: attached.filter(({ type }) => type === "image").length,
            at: row.created_at
          }
        })
    ),
  withdraw: (id: string, by: string): Writes<Option.Option<Withdrawn>> =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const why = `withdrawn ${by}`
      const of = yield* sql<{ readonly id: TaskId.TaskId }>`SELECT t.id FROM inbox i JOIN task t ON t.key = i.task
        WHERE i.id = ${id}`
      yield* guard.write(
        of.map((task) => task.id),
        sql`UPDATE inbox SET applied_at = ${now}, refusal = ${why}
          WHERE id = ${id} AND kind = 'message' AND applied_at IS NULL`
      )
      const [row] = yield* sql<{ readonly payload: string }>`SELECT payload FROM inbox
        WHERE id = ${id} AND kind = 'message' AND refusal = ${why}`
      return Option.map(Option.fromUndefinedOr(row), ({ payload }) => wordsOf(payload))
    }),
  reply: (id: string): Effect.Effect<Option.Option<Reply>, SqlError> =>
    Effect.map(sql<ReplyColumns>`SELECT accepted_at, applied_at, refusal FROM inbox WHERE id = ${id}`, ([row]) =>
      Option.fromUndefinedOr(row && replyOf(row))
    )
})
