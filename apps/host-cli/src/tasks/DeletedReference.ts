/** What stands for a deleted task on the command line: as for any other task, among those that can be taken back. */
import { type DeletedTask, type HistoryError, TaskHistory } from "@belay/history-store"
import { Words } from "@belay/interaction"
import { TaskId, TaskRecord } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Failure, usage } from "../cli/Failure.ts"

const see = "See: belay task list --deleted"

/** A whole id is known of what went with another deletion, and of what is gone for good. */
const elsewhere = (reference: string) =>
  Effect.gen(function* () {
    if (!TaskId.isTaskId(reference)) return
    const history = yield* TaskHistory
    const record = Option.getOrUndefined(yield* history.row(reference))?.record
    if (record === undefined) return
    if (!TaskRecord.isTombstone(record)) return yield* usage(`the task "${reference}" is not deleted`, see)
    const together = TaskRecord.keptOf(record)?.with
    if (together === undefined) return yield* usage(`the task "${reference}" was deleted for good`, see)
    const hint = `Take that back: belay task undelete ${Words.shortId(together)}`
    return yield* usage(`the task "${reference}" was deleted with a task above it`, hint)
  })

/** The deletion that is meant; `last` is the newest one. Errors: one line for none and for several. */
export const resolve = (
  reference: string
): Effect.Effect<DeletedTask.DeletedTask, Failure | HistoryError.HistoryError, TaskHistory> =>
  Effect.gen(function* () {
    const all = yield* (yield* TaskHistory).deleted
    const starting = all.filter(({ id }) => id.startsWith(reference))
    const found =
      reference === "last"
        ? all.slice(0, 1)
        : starting.length > 0
          ? starting
          : all.filter(({ id }) => id.endsWith(reference))
    const [only, second] = reference === "" ? [] : found
    if (only === undefined) yield* elsewhere(reference)
    const said = Words.printable(reference)
    if (only === undefined) return yield* usage(`no deleted task "${said}"`, see)
    if (second === undefined) return only
    const list = found.map(({ id }) => Words.shortId(id)).join(", ")
    return yield* usage(`"${said}" matches several deleted tasks: ${list}`, "Give more characters.")
  })

/** The title in quotes, printable. */
export const titled = ({ title }: DeletedTask.DeletedTask): string => `"${Words.printable(title)}"`
