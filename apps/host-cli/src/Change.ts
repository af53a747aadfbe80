/**
 * A person's change of tasks that no live process has: the task and its name, then one commit.
 *
 * What dead processes left is repaired first, so what is decided on is how things stand.
 */
import { type HistoryError, type History, type Inbox, layerSqlite, TaskHistory } from "@belay/history-store"
import { Words } from "@belay/task-engine/protocol"
import type { Command, TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Parsed, text } from "./Arguments.ts"
import * as DataFolder from "./DataFolder.ts"
import { type ExitCode, type Failure, fromError, usage } from "./Failure.ts"
import * as ResultObject from "./output/ResultObject.ts"
import type { Sink } from "./output/Sink.ts"
import { reading } from "./Reading.ts"
import * as TaskReference from "./TaskReference.ts"

export interface Named {
  readonly id: TaskId.TaskId
  readonly row: History.TaskRow
  /** What to type for it. */
  readonly reference: string
  /** Its title in quotes, printable. */
  readonly title: string
}

type Fails = Failure | HistoryError.HistoryError | Command.TransitionRejected

export const named = (id: TaskId.TaskId): Effect.Effect<Named, Failure | HistoryError.HistoryError, TaskHistory> =>
  Effect.gen(function* () {
    const row = yield* (yield* TaskHistory).row(id)
    if (Option.isNone(row)) return yield* usage(`no task "${id}"`, 'See "belay task list --all".')
    const title = `"${Words.printable(row.value.meta.title)}"`
    return { id, row: row.value, reference: yield* TaskReference.short(id), title }
  })

/** The task that the first argument names. */
export const target = (parsed: Parsed) =>
  Effect.flatMap(TaskReference.inFolder(parsed.args[0] ?? "", text(parsed, "cwd")), named)

/** The subtask that the first argument names, and the task that asked for it. */
export const subtask = (parsed: Parsed) =>
  Effect.gen(function* () {
    const child = yield* target(parsed)
    const { parentId } = child.row.record.lineage
    if (parentId === undefined) {
      return yield* usage(`${child.title} is no subtask`, `See it with: belay task show ${child.reference}`)
    }
    return { child, parent: yield* named(parentId) }
  })

/** Only its own process changes a task that runs. */
export const unowned = ({ reference, row: { lease }, title }: Named): Effect.Effect<void, Failure> => {
  if (lease?.alive !== true) return Effect.void
  const { host, pid } = lease.owner
  return usage(
    `${title} runs in process ${pid} on ${Words.printable(host)}`,
    `Stop it first: belay task interrupt ${reference}`
  )
}

/** Runs a change on the history of this machine's user. */
export const changing = <A>(program: Effect.Effect<A, Fails, TaskHistory | Inbox>): Effect.Effect<A, Failure> =>
  Effect.gen(function* () {
    yield* (yield* TaskHistory).reconcile(new Set())
    return yield* program
  }).pipe(Effect.provide(layerSqlite({ directory: DataFolder.directory(), kind: "cli" })), Effect.mapError(fromError))

/** One plain line with the next command, or the object of a task. */
export const report = (parsed: Parsed, sink: Sink, id: TaskId.TaskId, line: string): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    if (text(parsed, "output") === "json") {
      sink.out(`${JSON.stringify(yield* reading(ResultObject.read(id)))}\n`)
    } else sink.out(`${line}\n`)
    return 0 as const
  })
