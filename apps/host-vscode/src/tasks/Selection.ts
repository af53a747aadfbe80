/** The task that is selected in the tree, for the keys of the tree: a key gives no row. */
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import { Bridge } from "../vscode/Bridge.ts"

/** What a key gives instead of a row. */
export const argument = "selection"

/** `null` where a group is selected, or nothing. */
export const task = Effect.map(Bridge, ({ views }): TaskId.TaskId | null => {
  const [row = ""] = views["belay.tasks"].selection
  return TaskId.isTaskId(row) ? row : null
})
