/** The events of tasks as streams: what happens here, and of one task first what is stored. */
import { type HistoryError, TaskHistory } from "@belay/history-store"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { isDurable, type TaskEvent as EngineEvent } from "../active/LiveEvent.ts"
import { TaskEvents } from "../active/TaskEvents.ts"

const pageSize = 200

/** What happens here from now on, in one task or in all. */
export const live = (taskId: string | undefined): Stream.Stream<EngineEvent, never, TaskEvents> =>
  Stream.callback<EngineEvent, never, TaskEvents>((queue) =>
    TaskEvents.use((events) =>
      events.listen((event) => {
        if (taskId === undefined || event.taskId === taskId) Queue.offerUnsafe(queue, event)
      })
    )
  )

/** The stored events of a task from a `seq` on, then those that happen here until `ended`; each stored one once. */
export const ofTask = (
  id: TaskId.TaskId,
  from: number,
  ended: Effect.Effect<void>
): Stream.Stream<EngineEvent, HistoryError.HistoryError, TaskEvents | TaskHistory> =>
  Stream.callback<EngineEvent, HistoryError.HistoryError, TaskEvents | TaskHistory>((queue) =>
    Effect.gen(function* () {
      const history = yield* TaskHistory
      const early: Array<EngineEvent> = []
      let isRead = false
      let next = from
      const tell = (event: EngineEvent) => {
        if (isDurable(event)) {
          if (event.seq < next) return
          next = event.seq + 1
        }
        Queue.offerUnsafe(queue, event)
      }
      yield* (yield* TaskEvents).listen((event) => {
        if (event.taskId !== id) return
        if (isRead) tell(event)
        else early.push(event)
      })
      const readOn = Effect.gen(function* () {
        for (;;) {
          const page = yield* history.events(id, next, pageSize)
          page.forEach(tell)
          if (page.length < pageSize) return
        }
      })
      yield* readOn
      isRead = true
      early.forEach(tell)
      yield* ended
      // What was stored last may not have been told here.
      yield* readOn
      yield* Queue.end(queue)
    }).pipe(Effect.catch((error) => Queue.fail(queue, error)))
  )
