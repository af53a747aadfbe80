/**
 * The durable events of a task and its descendants, read as they come: replayed first, then followed.
 *
 * Events of one task come in the order of `seq`, each once and without a gap; among tasks the older comes first. `from`
 * counts in the watched task; its descendants are read from their beginning. Only one page a task is held.
 */
import { type Event, type HistoryError, TaskHistory } from "@belay/history-store"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"

interface Source {
  readonly id: TaskId.TaskId
  next: number
  page: Array<Event.StoredEvent>
  /** Nothing more was stored when it was last read. */
  drained: boolean
}

const pageSize = 200

export interface Follow {
  /** Hands over everything that is stored and was not handed over yet. */
  readonly drain: (
    take: (event: Event.StoredEvent) => Effect.Effect<void>
  ) => Effect.Effect<void, HistoryError.HistoryError, TaskHistory>
}

const oldest = (sources: Iterable<Source>): Source | undefined => {
  let found: Source | undefined
  for (const source of sources) {
    const ts = source.page[0]?.ts
    if (ts !== undefined && (found === undefined || ts < (found.page[0]?.ts ?? 0))) found = source
  }
  return found
}

export const make = (
  root: TaskId.TaskId,
  from: number
): Effect.Effect<Follow, HistoryError.HistoryError, TaskHistory> =>
  Effect.gen(function* () {
    const sources = new Map<TaskId.TaskId, Source>()
    const add = (id: TaskId.TaskId, next: number): void => {
      if (!sources.has(id)) sources.set(id, { id, next, page: [], drained: false })
    }

    /** Subtasks that were asked for before `from`. */
    const addBelow = (id: TaskId.TaskId): Effect.Effect<void, HistoryError.HistoryError, TaskHistory> =>
      Effect.gen(function* () {
        for (const { record } of yield* (yield* TaskHistory).children(id)) {
          add(record.id, 1)
          yield* addBelow(record.id)
        }
      })

    const fill = (source: Source) =>
      Effect.gen(function* () {
        if (source.drained || source.page.length > 0) return
        source.page = [...(yield* (yield* TaskHistory).events(source.id, source.next, pageSize))]
        source.drained = source.page.length < pageSize
        source.next = (source.page.at(-1)?.seq ?? source.next - 1) + 1
      })

    const drain: Follow["drain"] = (take) =>
      Effect.gen(function* () {
        for (const source of sources.values()) source.drained = false
        for (;;) {
          yield* Effect.forEach([...sources.values()], fill, { discard: true })
          const event = oldest(sources.values())?.page.shift()
          if (event === undefined) return
          if (event.type === "delegation.started") for (const child of event.children) add(child.taskId, 1)
          yield* take(event)
        }
      })

    add(root, from)
    yield* addBelow(root)
    return { drain }
  })
