/** A task with everything below it, as commands read it. */
import { type HistoryError, TaskHistory } from "@belay/history-store"
import { TaskNode } from "@belay/task-engine/remote"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Failure, usage } from "../cli/Failure.ts"

/** The task of an id that was just resolved, with everything below it. */
export const load = (
  id: TaskId.TaskId
): Effect.Effect<TaskNode.TaskNode, Failure | HistoryError.HistoryError, TaskHistory> =>
  Effect.gen(function* () {
    const row = yield* (yield* TaskHistory).row(id)
    if (Option.isNone(row)) return yield* usage(`no task "${id}"`, 'See "belay task list --all".')
    return yield* TaskNode.whole(row.value)
  })
