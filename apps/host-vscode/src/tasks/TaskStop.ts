/** Stopping a task of this window or of another process. */
import { TaskStore, TaskText } from "@belay/interaction/tasks"
import { TaskEngine } from "@belay/task-engine"
import { Interruption } from "@belay/task-engine/remote"
import * as Effect from "effect/Effect"
import * as Holders from "./Holders.ts"

/**
 * Stops a task with everything below it; what is stopped already stays as it is. Errors: `Refusal` when its process was
 * asked and has not confirmed.
 */
export const stopped = (entry: TaskStore.Entry) =>
  Effect.gen(function* () {
    const id = TaskStore.idOf(entry)
    const engine = yield* TaskEngine
    const { refresh } = yield* TaskStore.TaskStore
    const confirmed = yield* engine.running().has(id)
      ? Effect.as(engine.interrupt(id, "user"), true)
      : Interruption.interrupt(id)
    yield* refresh
    if (confirmed) return
    const title = TaskText.titleOf(entry)
    const line = `"${title}" was asked to stop and has not confirmed. Look at the task.`
    return yield* Holders.unconfirmed(id, "to stop it", line)
  })
