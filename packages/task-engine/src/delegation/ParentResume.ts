/**
 * Who goes on with a parent whose subtask has completed here: the process that has it, else this one if it can, else
 * nobody: then the parent has the report and says where it waits.
 *
 * A process that ends before it has looked at the report leaves the parent to this one, which looks until it is collected.
 */
import { type History, type HistoryError, TaskHistory } from "@belay/history-store"
import { type TaskId, TaskRecord } from "@belay/task-state"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { PendingLaunches } from "../active/PendingLaunches.ts"
import { CanHost } from "./CanHost.ts"
import { Journal } from "../active/Journal.ts"
import * as Sentences from "../text/Sentences.ts"
import { TaskRegistry } from "../active/Registry.ts"
import { ReportCollection } from "../reports/ReportCollection.ts"

export class ParentResume extends Context.Service<
  ParentResume,
  {
    /** The parent that a completed child leaves for somebody to go on with; it is taken for this process. */
    readonly parentOf: (
      child: TaskRecord.TaskRecord
    ) => Effect.Effect<TaskId.TaskId | undefined, HistoryError.HistoryError>
    /** What completed here and waits for the process of its parent to collect it. */
    readonly owed: () => ReadonlyArray<TaskRecord.TaskRecord>
  }
>()("@belay/task-engine/ParentResume") {
  static readonly layer = Layer.effect(
    ParentResume,
    Effect.gen(function* () {
      const beginning = yield* PendingLaunches
      const canHost = yield* CanHost
      const reports = yield* ReportCollection
      const history = yield* TaskHistory
      const journal = yield* Journal
      const registry = yield* TaskRegistry

      const owed = new Set<TaskRecord.TaskRecord>()

      /** Why a parent is left to others although it can go on. */
      const hindered = Effect.fnUntraced(function* (parent: History.TaskRow, child: TaskRecord.TaskRecord) {
        const beside = yield* history.row(child.id)
        const why = Option.isNone(beside) ? "its subtask is gone" : yield* canHost.hindrance(parent, beside.value)
        return why === undefined ? undefined : Sentences.waitsElsewhere(parent.record.id, parent.meta.workspace, why)
      })

      const parentOf: ParentResume["Service"]["parentOf"] = Effect.fn("ParentResume.parentOf")(
        function* (child) {
          owed.delete(child)
          const { parentId } = child.lineage
          if (child.status !== "completed" || parentId === undefined || registry.has(parentId)) return undefined
          const parent = yield* history.row(parentId)
          if (Option.isNone(parent)) return undefined
          const { lease, record } = parent.value
          if (lease?.alive === true && lease.ownerId !== history.me) {
            if (TaskRecord.awaitedEntry(record, child.id) !== undefined) owed.add(child)
            return undefined
          }
          if (lease?.alive === true) {
            // Its runner here has ended while it waited, but it is still ours.
            if (record.status !== "delegated") return undefined
            const step = yield* reports.step({ taskId: parentId, attempt: record.attempt }, [child.id])
            yield* beginning.taking(parentId, journal.commit([step]))
            return parentId
          }
          const collect = yield* reports.step({ taskId: parentId }, [child.id])
          // A parent that was stopped stays stopped; what its child brings is kept for when it goes on.
          const waits = record.status === "delegated"
          const left = waits ? yield* hindered(parent.value, child) : undefined
          if (left !== undefined) {
            yield* journal.commit([collect, { _tag: "LeftReady", taskId: parentId, message: left }])
            return undefined
          }
          const resumed = { _tag: "Lifecycle", request: { _tag: "Resume", taskId: parentId } } as const
          if (waits) yield* beginning.taking(parentId, journal.commit([collect, resumed]))
          else if (record.status === "interrupted") yield* journal.commit([collect])
          return waits ? parentId : undefined
          // Whoever changed it meanwhile, here or elsewhere, collects what its child brings.
        },
        Effect.catchTag("TransitionRejected", () => Effect.succeed(undefined))
      )
      return ParentResume.of({ parentOf, owed: () => [...owed] })
    })
  )
}
