/** What `compare` and `restore` share: a message of the task, and what people type next. */
import { type HistoryError, TaskHistory } from "@belay/history-store"
import type { NotRestored } from "@belay/task-engine/unstable/restoring"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Parsed, text } from "../cli/Arguments.ts"
import { type Named, stopFirst } from "./Change.ts"
import { Failure, usage } from "../cli/Failure.ts"

/** The number that `--to` says; messages are counted from 0, as `task show --messages --output json` does. */
export const message = (parsed: Parsed, { row, title }: Named): Effect.Effect<number, Failure> => {
  const given = text(parsed, "to") ?? ""
  return /^\d+$/.test(given)
    ? Effect.succeed(Number(given))
    : Effect.fail(usage(`${title} has the messages 0 to ${row.messageCount - 1}`, "Say to which one: --to MESSAGE."))
}

/** What people type next is added to what the engine says. */
export const failed =
  (task: Named, to: string) =>
  (error: NotRestored): Failure => {
    if (error.reason === "runs" && task.holder?.doubt !== undefined) return stopFirst(task)
    const hints = {
      runs: `Stop it first: belay task interrupt ${task.reference}`,
      completed: `Branch a new task: belay task fork ${task.reference} --to ${to}`,
      waits: "Abandon them first: belay task abandon CHILD",
      noMessage: "Choose one of them.",
      nothing: `Restore it to a message: belay task restore ${task.reference} --to MESSAGE`,
      files: "Make room for it, or restore by hand."
    }
    return usage(error.what, hints[error.reason])
  }

/** The titles of other tasks, as far as they are known. */
export const titles = (
  ids: ReadonlyArray<TaskId.TaskId>
): Effect.Effect<ReadonlyMap<TaskId.TaskId, string>, HistoryError.HistoryError, TaskHistory> =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const rows = yield* Effect.forEach([...new Set(ids)], (id) => history.row(id))
    return new Map(rows.filter(Option.isSome).map(({ value }) => [value.record.id, value.meta.title]))
  })
