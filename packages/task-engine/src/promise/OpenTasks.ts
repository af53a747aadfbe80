/** The tasks of the whole history that are not completed. */
import { type History, type HistoryError, TaskHistory } from "@belay/history-store"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { TaskEngine } from "../lifecycle/TaskEngine.ts"

/** Nobody stopped these: their process ended, or all that they waited for is there. */
const left: ReadonlySet<string> = new Set(["crash", "host", "ready"])

const statuses = ["active", "delegated", "interrupted"] as const

const pageSize = 100

const rowsOf = (status: (typeof statuses)[number], rootsOnly: boolean) =>
  TaskHistory.use((history) =>
    Stream.runCollect(
      Stream.paginate(undefined as string | undefined, (cursor) =>
        Effect.map(
          history.list({ status, rootsOnly, limit: pageSize, ...(cursor === undefined ? {} : { cursor }) }),
          ({ nextCursor, rows }) => [rows, nextCursor === undefined ? Option.none() : Option.some(nextCursor)]
        )
      )
    )
  )

/** Those in which somebody is asked something. */
export const asking: Effect.Effect<ReadonlyArray<History.TaskRow>, HistoryError.HistoryError, TaskHistory> = Effect.map(
  Effect.forEach(statuses, (status) => rowsOf(status, false)),
  (rows) => rows.flat().filter(({ openAsks }) => openAsks > 0)
)

/** The roots that earlier processes of a kind have left, once what they left behind is repaired. */
export const leftBy = (
  kind: string
): Effect.Effect<ReadonlyArray<TaskId.TaskId>, HistoryError.HistoryError, TaskEngine | TaskHistory> =>
  Effect.gen(function* () {
    const engine = yield* TaskEngine
    yield* (yield* TaskHistory).reconcile(engine.kept())
    const rows = yield* rowsOf("interrupted", true)
    return rows.flatMap(({ meta, record }) =>
      meta.host === kind && record.status === "interrupted" && left.has(record.interruption.reason) ? [record.id] : []
    )
  })
