/**
 * A task below which nothing runs is deleted: by the process that has it, else here. It can be taken back for 30 days,
 * with all that it took; then it is erased, or at once if that is what was asked for, and its files go.
 *
 * Each is one commit. Files that a crash has left are removed by the next deletion for good.
 */
import type { Checkpoints } from "@belay/checkpoints"
import { printable } from "@belay/message-state"
import { type HistoryError, type History, type Inbox, type Ownership, TaskHistory } from "@belay/history-store"
import { type Command, TaskId, TaskRecord } from "@belay/task-state"
import { Failpoint } from "@belay/task-state/unstable"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { existsSync, readdirSync, rmSync } from "node:fs"
import * as path from "node:path"
import * as Requesting from "./Requesting.ts"

const sentences = {
  runs: "or a subtask of it runs. Stop it first.",
  unconfirmed: "may be deleted or not: the process that was asked has not confirmed. Look at the task."
} as const

/** Nothing was deleted, or nobody knows yet. */
export class NotDeleted extends Schema.TaggedError<NotDeleted>()("NotDeleted", {
  reason: Schema.Literals(Object.keys(sentences) as Array<keyof typeof sentences>),
  title: Schema.String
}) {
  override get message() {
    return `"${printable(this.title)}" ${sentences[this.reason]}`
  }
}

type Fails = HistoryError.HistoryError | Command.TransitionRejected | NotDeleted

const notDeleted = ({ meta: { title } }: History.TaskRow, reason: NotDeleted["reason"]) =>
  new NotDeleted({ reason, title })

/** Each task that has files has a folder of its name in the data folder. */
const foldersIn = (directory: string): ReadonlyArray<string> => {
  try {
    return readdirSync(path.join(directory, "tasks"))
  } catch {
    return []
  }
}

const hasCheckpoints = (directory: string): boolean => existsSync(path.join(directory, "checkpoints"))

/** Says whether there may be anything to remove; the history need not be opened to know. */
export const hasFiles = (directory: string): boolean => foldersIn(directory).length > 0 || hasCheckpoints(directory)

const recordOf = (id: TaskId.TaskId) =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.row(id)),
    (row) => Option.getOrUndefined(row)?.record
  )

const isDeleted = (id: TaskId.TaskId) => Effect.map(recordOf(id), TaskRecord.isTombstone)

/** Nothing of it can be taken back. */
const isErased = (id: TaskId.TaskId) =>
  Effect.map(recordOf(id), (record) => TaskRecord.isTombstone(record) && TaskRecord.keptOf(record) === undefined)

/** Removes the checkpoints of all erased tasks. What cannot be removed now goes with the next deletion, or of old age. */
const removeCheckpoints = (directory: string) =>
  Effect.gen(function* () {
    if (!hasCheckpoints(directory)) return
    // Its name is loaded where something is deleted, and nowhere else.
    const { Checkpoints } = yield* Effect.promise(() => import("@belay/checkpoints"))
    const checkpoints = yield* Checkpoints
    const ids = yield* Effect.orElseSucceed(checkpoints.tasks(), () => [])
    for (const id of ids) if (yield* isErased(id)) yield* Effect.ignore(checkpoints.remove(id))
  })

/** Removes the files and checkpoints of all erased tasks, and gives the folders that cannot be removed. */
export const removeFiles = (
  directory: string
): Effect.Effect<ReadonlyArray<string>, HistoryError.HistoryError, TaskHistory | Checkpoints> =>
  Effect.gen(function* () {
    const left: Array<string> = []
    yield* removeCheckpoints(directory)
    for (const name of foldersIn(directory)) {
      if (!TaskId.isTaskId(name) || !(yield* isErased(name))) continue
      const folder = path.join(directory, "tasks", name)
      yield* Effect.try(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })).pipe(
        Effect.catch(() => Effect.sync(() => void left.push(folder)))
      )
    }
    return left
  })

interface How {
  /** What happens to the tasks below it. */
  readonly subtasks: "delete" | "keep"
  /** It is erased at once. */
  readonly forever?: true
}

/** The process that has the task is asked to give it up: with the task goes the request. False when none has it. */
const asked = (task: History.TaskRow, how: How) =>
  Effect.gen(function* () {
    if (task.lease?.alive !== true) return false
    const { attempt, id } = task.record
    const told = yield* Requesting.ask(id, attempt, { kind: "delete", ...how })
    if (told._tag === "unconfirmed") return yield* notDeleted(task, "unconfirmed")
    if (told._tag === "refused") return yield* notDeleted(task, "runs")
    return yield* isDeleted(id)
  })

/** Gives the folders that cannot be removed: they belong to no task. `directory` is the data folder. */
export const remove = (
  task: History.TaskRow,
  how: How,
  directory: string
): Effect.Effect<ReadonlyArray<string>, Fails, TaskHistory | Inbox | Ownership | Checkpoints> =>
  Effect.gen(function* () {
    const request = { _tag: "Delete", taskId: task.record.id, ...how } as const
    const commit = Effect.flatMap(TaskHistory, (history) => history.commit([{ _tag: "Lifecycle", request }]))
    const here = Effect.catchTag(Failpoint.around("delete.commit", commit), "TransitionRejected", (error) =>
      Effect.fail(error.rule === "StopFirst" ? notDeleted(task, "runs") : error)
    )
    if (!(yield* asked(task, how))) yield* here
    return how.forever === true ? yield* Failpoint.around("delete.files", removeFiles(directory)) : []
  })

/** Erases what was deleted, and what its deletion took, as `remove` does. */
export const erase = (
  id: TaskId.TaskId,
  directory: string
): Effect.Effect<
  ReadonlyArray<string>,
  HistoryError.HistoryError | Command.TransitionRejected,
  TaskHistory | Checkpoints
> =>
  Effect.gen(function* () {
    const request = { _tag: "Delete", taskId: id, subtasks: "delete", forever: true } as const
    const commit = Effect.flatMap(TaskHistory, (history) => history.commit([{ _tag: "Lifecycle", request }]))
    yield* Failpoint.around("delete.commit", commit)
    return yield* Failpoint.around("delete.files", removeFiles(directory))
  })

/** Takes a deletion back with all that it took; false when it was taken back before, or never deleted. */
export const undelete = (
  id: TaskId.TaskId
): Effect.Effect<boolean, HistoryError.HistoryError | Command.TransitionRejected, TaskHistory> =>
  Effect.gen(function* () {
    const request = { _tag: "Undelete", taskId: id } as const
    const { events } = yield* (yield* TaskHistory).commit([{ _tag: "Lifecycle", request }])
    return events.some((event) => event.type === "task.undeleted" && event.taskId === id)
  })

/**
 * At the start of whoever writes: what was deleted more than 30 days ago is erased, a part at a time. Where something was,
 * `removal` follows: `removeFiles`, with what it requires.
 */
export const expire = <E, R>(
  removal: Effect.Effect<ReadonlyArray<string>, E, R>
): Effect.Effect<ReadonlyArray<string>, HistoryError.HistoryError | E, TaskHistory | R> =>
  Effect.gen(function* () {
    const erased = yield* (yield* TaskHistory).expire
    return erased.length === 0 ? [] : yield* removal
  })
