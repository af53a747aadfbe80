/**
 * Time in which nobody worked although the clock went on: the machine slept, the process was stopped, or the clock was set.
 * It is stored with every task that this process has at that moment, so no limit of time counts it.
 *
 * Some systems' monotonic clocks go on while the machine sleeps: a pause between two looks that is too long for a process
 * that works is taken for sleep, too.
 */
import { TaskHistory } from "@belay/history-store"
import type { TaskId } from "@belay/task-state"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Semaphore from "effect/Semaphore"
import { Journal } from "../active/Journal.ts"
import { TaskRegistry } from "../active/Registry.ts"

/** Two clocks at one moment, in ms: one that can be set, and one that cannot. */
export interface Reading {
  readonly wall: number
  readonly monotonic: number
}

const every = "1 second"
/** Nothing holds a process up for so long between two looks. */
const longestPause = 30_000
/** What a clock is corrected by all the time is less. */
const tolerance = 2000

/** The ms between two looks in which nobody worked; negative when the clock was set back. */
export const skipped = (before: Reading, now: Reading): number => {
  const passed = now.monotonic - before.monotonic
  return now.wall - before.wall - (passed > longestPause ? 0 : passed)
}

const read: Effect.Effect<Reading> = Effect.map(
  Effect.all([Clock.currentTimeMillis, Clock.monotonicTimeNanos]),
  ([wall, nanos]) => ({ wall, monotonic: Number(nanos) / 1_000_000 })
)

export class WorkClock extends Context.Service<
  WorkClock,
  {
    /** When it ends, what was skipped until it began is stored. It looks by itself, too, while the engine lives. */
    readonly look: Effect.Effect<void>
  }
>()("@belay/task-engine/WorkClock") {
  static readonly layer = Layer.effect(
    WorkClock,
    Effect.gen(function* () {
      const registry = yield* TaskRegistry
      const history = yield* TaskHistory
      const journal = yield* Journal
      const lock = yield* Semaphore.make(1)
      let before = yield* read
      let ms = 0

      const tell = (taskId: TaskId.TaskId, skipped: number) =>
        Effect.gen(function* () {
          const row = Option.getOrUndefined(yield* history.row(taskId))
          if (row?.lease?.ownerId !== history.me) return
          yield* journal.commit([{ _tag: "TimeSkipped", taskId, attempt: row.record.attempt, ms: skipped }])
          // Who has lost the task tells nothing of it.
        }).pipe(Effect.ignore)

      const lookNow = Effect.gen(function* () {
        const now = yield* read
        ms += skipped(before, now)
        before = now
        if (Math.abs(ms) < tolerance) return
        const told = Math.round(ms)
        ms = 0
        yield* Effect.forEach(registry.kept(), (id) => tell(id, told), { discard: true })
      })
      const look = Effect.uninterruptible(lock.withPermit(lookNow))

      yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced(every)))
      return WorkClock.of({ look })
    })
  )
}
