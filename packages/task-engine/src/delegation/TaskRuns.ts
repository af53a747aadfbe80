/**
 * Runs a task until its runner ends, then its parent when nobody else is responsible for that, and so on up; then the task
 * that it has handed its plan over to, whose end is the end.
 */
import type { HistoryError } from "@belay/history-store"
import type { TaskId } from "@belay/task-state"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { RunResult, StoreFailure } from "../active/ActiveTask.ts"
import { PendingLaunches } from "../active/PendingLaunches.ts"
import { TaskRegistry } from "../active/Registry.ts"
import { ParentResume } from "./ParentResume.ts"

export class TaskRuns extends Context.Service<
  TaskRuns,
  {
    readonly run: (id: TaskId.TaskId) => Effect.Effect<RunResult, StoreFailure>
    /** Runs the parents that other processes had when their subtasks completed here, and have left since. */
    readonly resumeParents: Effect.Effect<void, HistoryError.HistoryError>
  }
>()("@belay/task-engine/TaskRuns") {
  static readonly layer = Layer.effect(
    TaskRuns,
    Effect.gen(function* () {
      const pending = yield* PendingLaunches
      const registry = yield* TaskRegistry
      const parents = yield* ParentResume

      const run: TaskRuns["Service"]["run"] = Effect.fn("TaskRuns.run")(function* (id) {
        const ended = yield* Effect.flatten(pending.launching(id, registry.launch(id)))
        const parent = yield* parents.parentOf(ended.record)
        if (parent !== undefined) yield* run(parent)
        const next = pending.successor(id)
        return next === undefined ? ended : yield* run(next)
      })

      const resumeParents = Effect.suspend(() =>
        Effect.forEach(
          parents.owed(),
          Effect.fnUntraced(function* (child) {
            const parent = yield* parents.parentOf(child)
            if (parent !== undefined) yield* Effect.forkDetach(Effect.ignore(run(parent)))
          }),
          { discard: true }
        )
      )

      return TaskRuns.of({ run, resumeParents })
    })
  )
}
