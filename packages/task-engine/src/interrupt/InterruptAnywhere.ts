/**
 * Stopping a task wherever it runs: here at once, in another process by a request to it, and where nobody runs it by the
 * interruption alone. Who runs a task stops what is below it.
 */
import { type HistoryError, Inbox, TaskHistory } from "@belay/history-store"
import { TaskId, TaskRecord } from "@belay/task-state"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Interrupt from "./Interrupt.ts"
import { Journal } from "../active/Journal.ts"
import { TaskRegistry } from "../active/Registry.ts"

export class InterruptAnywhere extends Context.Service<
  InterruptAnywhere,
  {
    /** Ends when what this process can do is stored; another process is asked and not waited for. */
    readonly interrupt: (id: TaskId.TaskId, reason: "user" | "parent") => Effect.Effect<void, HistoryError.HistoryError>
  }
>()("@belay/task-engine/InterruptAnywhere") {
  static readonly layer = Layer.effect(
    InterruptAnywhere,
    Effect.gen(function* () {
      const journal = yield* Journal
      const history = yield* TaskHistory
      const inbox = yield* Inbox
      const registry = yield* TaskRegistry

      const interrupt: InterruptAnywhere["Service"]["interrupt"] = Effect.fn("InterruptAnywhere.interrupt")(
        function* (id, reason) {
          if (registry.has(id)) return yield* registry.stop(id, { reason })
          const row = yield* history.row(id)
          if (Option.isNone(row)) return
          const { lease, record } = row.value
          if (record.status === "completed") return
          if (lease?.alive === true && lease.ownerId !== history.me) {
            const requestId = yield* TaskId.make
            const { attempt } = record
            return yield* inbox.post({ id: requestId, taskId: id, attempt, kind: "interrupt", by: reason })
          }
          // Whoever took it meanwhile goes on with it, and with what is below it.
          const stopped = yield* journal.commit([Interrupt.step({ taskId: id }, reason)]).pipe(
            Effect.as(true),
            Effect.catchTag("TransitionRejected", () => Effect.succeed(false))
          )
          if (!stopped) return
          yield* Effect.forEach(TaskRecord.awaitedIds(record), (child) => interrupt(child, "parent"), { discard: true })
        }
      )
      return InterruptAnywhere.of({ interrupt })
    })
  )
}
