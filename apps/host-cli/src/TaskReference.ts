/** What stands for a task on the command line: an id, a unique part of one, or `last`. */
import { type HistoryError, TaskHistory } from "@belay/history-store"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import { type Failure, usage } from "./Failure.ts"

const shown = 4

/** Errors: one line for no task, for several, and for `last` in a workspace without tasks. */
export const resolve = (
  reference: string,
  workspace: string
): Effect.Effect<TaskId.TaskId, Failure | HistoryError.HistoryError, TaskHistory> =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    if (reference === "last") {
      const { rows } = yield* history.list({ limit: 1, workspace, rootsOnly: true })
      const [newest] = rows
      if (newest !== undefined) return newest.record.id
      return yield* usage(`no task in this workspace (${workspace})`, 'See "belay task list".')
    }
    const found = yield* history.find(reference, shown + 1)
    const [only, second] = found
    if (only === undefined) return yield* usage(`no task "${reference}"`, 'See "belay task list --all".')
    if (second === undefined || only === reference) return only
    const list = found.slice(0, shown).join(", ")
    const more = found.length > shown ? ", …" : ""
    return yield* usage(`"${reference}" matches several tasks: ${list}${more}`, "Give more characters.")
  })
