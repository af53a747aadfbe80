/**
 * How long a task was at work: running, or waiting for its subtasks. Read from its events, so it survives restarts.
 *
 * Time in which it was stopped does not count, nor time that was skipped, such as the sleep of the machine, nor what lies
 * between its last event and the crash of its process.
 */
import { type Event, type HistoryError, TaskHistory } from "@belay/history-store"
import type { TaskRecord } from "@belay/task-state"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export interface Task {
  readonly record: TaskRecord.TaskRecord
}

/** `since`: the newest event of a task that is at work. Times are ms since 1970. */
export interface Measured {
  readonly ms: number
  readonly since: number | null
}

type Skipped = { readonly type: "time.skipped"; readonly ms: number }

type Timed = Pick<Event.StoredEvent, "ts"> &
  (
    | { readonly type: "task.status"; readonly to: string; readonly reason?: string }
    | Skipped
    | { readonly type: string }
  )

/** After its process has died nobody knows for how long it was at work. */
const isRepair = (event: Timed): boolean => event.type === "repaired" || ("reason" in event && event.reason === "crash")

const isWorking = (status: string): boolean => status === "active" || status === "delegated"

const skippedBy = (event: Timed): number => ("ms" in event && event.type === "time.skipped" ? event.ms : 0)

/** Adds events to what was measured before them. */
export const measure = (events: Iterable<Timed>, before: Measured = { ms: 0, since: null }): Measured => {
  let { ms, since } = before
  for (const event of events) {
    // An event that comes with a clock set back and before it is told of takes away what that gives back.
    if (since !== null && !isRepair(event)) ms += event.ts - since - skippedBy(event)
    if ("to" in event && event.type === "task.status") since = isWorking(event.to) ? event.ts : null
    else if (since !== null) since = event.ts
  }
  return { ms, since }
}

const page = 1000

export class ActiveTime extends Context.Service<
  ActiveTime,
  {
    /** The ms that a task was at work until `now`. */
    readonly until: (task: Task, now: number) => Effect.Effect<number, HistoryError.HistoryError>
  }
>()("@belay/task-engine/ActiveTime") {
  static readonly layer = Layer.effect(
    ActiveTime,
    Effect.map(TaskHistory, (history) => {
      const known = new Map<string, { readonly measured: Measured; readonly next: number }>()

      return ActiveTime.of({
        until: Effect.fn("ActiveTime.until")(function* ({ record }, now) {
          let { measured, next } = known.get(record.id) ?? { measured: measure([]), next: 1 }
          for (;;) {
            const events = yield* history.events(record.id, next, page)
            measured = measure(events, measured)
            next = (events.at(-1)?.seq ?? next - 1) + 1
            if (events.length < page) break
          }
          known.set(record.id, { measured, next })
          return Math.max(0, measured.ms + (measured.since === null ? 0 : now - measured.since))
        })
      })
    })
  )
}
