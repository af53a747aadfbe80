/**
 * Tasks that this process keeps without running them: their subtasks have all stopped, so their runners have ended, and
 * they are still its own. Nobody else may collect for them or stop them, so this process does both.
 *
 * What another process does for them is noticed with its news; a task whose last subtask has reported is run again.
 */
import { type HistoryError, TaskHistory } from "@belay/history-store"
import { TaskId, TaskRecord } from "@belay/task-state"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { InterruptAnywhere } from "../interrupt/InterruptAnywhere.ts"
import * as Interrupt from "../interrupt/Interrupt.ts"
import { Journal } from "../active/Journal.ts"
import { applied } from "../active/OpenAsk.ts"
import { TaskRegistry } from "../active/Registry.ts"
import { ReportCollection } from "../reports/ReportCollection.ts"
import { TaskRuns } from "./TaskRuns.ts"
import type { StoreFailure } from "../active/ActiveTask.ts"

export class WaitingParents extends Context.Service<
  WaitingParents,
  {
    /** Collects what has completed, and runs the tasks that go on. */
    readonly look: Effect.Effect<void, HistoryError.HistoryError>
    /** Stops one with everything below it, and marks the request that asked for it; false when it does not rest here. */
    readonly stop: (
      id: TaskId.TaskId,
      reason: TaskRecord.InterruptReason,
      requestId?: string
    ) => Effect.Effect<boolean, StoreFailure>
    /** Its row; nothing when it does not rest here. */
    readonly row: (id: TaskId.TaskId) => Effect.Effect<Option.Option<WaitingParentRow>, HistoryError.HistoryError>
  }
>()("@belay/task-engine/WaitingParents") {
  static readonly layer = Layer.effect(
    WaitingParents,
    Effect.gen(function* () {
      const anywhere = yield* InterruptAnywhere
      const runs = yield* TaskRuns
      const reports = yield* ReportCollection
      const journal = yield* Journal
      const history = yield* TaskHistory
      const registry = yield* TaskRegistry

      const row: WaitingParents["Service"]["row"] = Effect.fn("WaitingParents.row")(function* (id) {
        if (!registry.waiting().has(id) || registry.has(id)) return Option.none()
        const found = Option.getOrUndefined(yield* history.row(id))
        if (found?.record.status === "delegated" && found.lease?.ownerId === history.me) {
          const { attempt } = found.record
          return Option.some({
            taskId: id,
            attempt,
            mode: found.meta.mode,
            settings: found.meta.settings,
            awaited: TaskRecord.awaitedIds(found.record)
          })
        }
        registry.forget(id)
        return Option.none()
      })

      const collect = Effect.fnUntraced(function* ({ attempt, awaited, taskId }: WaitingParentRow) {
        const children = yield* reports.completed(awaited)
        if (children.length === 0) return
        const { records } = yield* reports.collect({ taskId, attempt }, children)
        if (records.get(taskId)?.status === "active") yield* Effect.forkDetach(Effect.ignore(runs.run(taskId)))
      })
      const look: WaitingParents["Service"]["look"] = Effect.suspend(() =>
        Effect.forEach(
          [...registry.waiting()],
          (id) =>
            Effect.gen(function* () {
              const found = yield* row(id)
              if (Option.isSome(found)) yield* collect(found.value)
              // Whoever changed it meanwhile has news, too.
            }).pipe(Effect.catchTag("TransitionRejected", () => Effect.void)),
          { discard: true }
        )
      )

      const stop: WaitingParents["Service"]["stop"] = Effect.fn("WaitingParents.stop")(
        function* (id, reason, requestId) {
          const found = Option.getOrUndefined(yield* row(id))
          if (found === undefined) return false
          const { attempt, awaited, taskId } = found
          const steps = [Interrupt.step({ taskId, attempt }, reason), ...applied(requestId)]
          yield* journal.commit(steps, { commit: "interrupt.commit" })
          registry.forget(id)
          yield* Effect.forEach(awaited, (child) => anywhere.interrupt(child, "parent"), { discard: true })
          return true
        }
      )
      return WaitingParents.of({ look, stop, row })
    })
  )
}

export interface WaitingParentRow {
  readonly taskId: TaskId.TaskId
  readonly attempt: number
  readonly mode: "plan" | "act"
  readonly settings: unknown
  readonly awaited: ReadonlyArray<TaskId.TaskId>
}
