/**
 * A person's change of tasks: the task and its name, then one commit.
 *
 * What dead processes left is repaired first, so what is decided on is how things stand.
 */
import {
  AttentionFile,
  type HistoryError,
  type History,
  type Inbox,
  type Ownership,
  TaskHistory
} from "@belay/history-store"
import * as DataFolder from "@belay/history-store/data-folder"
import { Deleting, Holding } from "@belay/task-engine/remote"
import { Holder, Words } from "@belay/interaction"
import type { Command, TaskId } from "@belay/task-state"
import { Failpoint } from "@belay/task-state/unstable"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Parsed, text } from "../cli/Arguments.ts"
import { type ExitCode, Failure, fromError, usage } from "../cli/Failure.ts"
import { layer as history } from "./History.ts"
import * as Failpoints from "../cli/Failpoints.ts"
import * as ResultObject from "../result/ResultObject.ts"
import type { Sink } from "../output/Sink.ts"
import * as OwnCheckpoints from "./OwnCheckpoints.ts"
import { reading } from "./Reading.ts"
import * as TaskReference from "./TaskReference.ts"

export interface Named {
  readonly id: TaskId.TaskId
  readonly row: History.TaskRow
  /** What to type for it. */
  readonly reference: string
  /** Its title in quotes, printable. */
  readonly title: string
  /** Another process that has it. */
  readonly holder?: Holder.Holder
}

type Fails = Failure | HistoryError.HistoryError | Command.TransitionRejected

export const named = (id: TaskId.TaskId): Effect.Effect<Named, Failure | HistoryError.HistoryError, TaskHistory> =>
  Effect.gen(function* () {
    const row = yield* (yield* TaskHistory).row(id)
    if (Option.isNone(row)) return yield* usage(`no task "${id}"`, 'See "belay task list --all".')
    const title = `"${Words.printable(row.value.meta.title)}"`
    const holder = yield* Holding.of(row.value)
    return { id, row: row.value, reference: yield* TaskReference.short(id), title, ...(holder && { holder }) }
  })

/** The task that the first argument names. */
export const target = (parsed: Parsed) =>
  Effect.flatMap(TaskReference.inFolder(parsed.args[0] ?? "", text(parsed, "cwd")), named)

/** A subtask and the task that asked for it. */
export interface Pair {
  readonly child: Named
  readonly parent: Named
}

/** The subtask that the first argument names, and the task that asked for it. */
export const subtask = (parsed: Parsed) =>
  Effect.gen(function* () {
    const child = yield* target(parsed)
    const { parentId } = child.row.record.lineage
    if (parentId === undefined) {
      return yield* usage(`${child.title} is not a subtask`, `See it with: belay task show ${child.reference}`)
    }
    return { child, parent: yield* named(parentId) }
  })

/** The command that takes a task from a process that is gone. */
const takeOver = ({ reference }: Pick<Named, "reference">): string =>
  `If it is gone: belay task interrupt ${reference} --take-over`

/** The refusal of what is only done to a task at rest, with the command that stops it. */
export const stopFirst = (task: Named): Failure => {
  const { holder, reference, title } = task
  if (holder?.doubt !== undefined) return usage(Holder.holds(title, holder), takeOver(task))
  return usage(
    holder === undefined ? `${title} or a subtask of it runs` : `${title} runs in ${Holder.name(holder)}`,
    `Stop it first: belay task interrupt ${reference}`
  )
}

/** What the person reads when the process has said nothing in time. `asked`: what for. */
export const unconfirmed = (task: Pick<Named, "reference" | "title" | "holder">, asked = ""): Failure => {
  const { holder, reference, title } = task
  const doubtful = holder?.doubt !== undefined
  return new Failure({
    code: 3,
    tag: "NotConfirmed",
    what: doubtful
      ? `${Holder.holds(title, holder)}. It was asked${asked} and has not confirmed`
      : `the process that runs ${title} was asked${asked} and has not confirmed`,
    hint: doubtful ? takeOver(task) : `See whether it did: belay task show ${reference}`
  })
}

/** What is only done to a task that no live process has. */
export const unowned = (task: Named): Effect.Effect<void, Failure> =>
  task.row.lease?.alive === true ? stopFirst(task) : Effect.void

/** A refusal because something runs, found in the commit, as a person reads it. */
export const orStopFirst = <A, R>(task: Named, commit: Effect.Effect<A, Fails, R>): Effect.Effect<A, Fails, R> =>
  Effect.catchTag(commit, "TransitionRejected", (error) =>
    Effect.fail(error.rule === "StopFirst" ? stopFirst(task) : error)
  )

/** Runs a change on the history of this machine's user. */
export const changing = <A>(
  program: Effect.Effect<A, Fails, TaskHistory | Inbox | Ownership>
): Effect.Effect<A, Failure> =>
  Effect.gen(function* () {
    const failpoints = yield* Effect.fromResult(Failpoints.fromEnvironment())
    yield* (yield* TaskHistory).reconcile(new Set())
    yield* Deleting.expire(OwnCheckpoints.provided(Deleting.removeFiles(DataFolder.directory())))
    const refreshed = Effect.tap(program, AttentionFile.refresh(DataFolder.directory()))
    return yield* failpoints === undefined
      ? refreshed
      : Effect.provideService(refreshed, Failpoint.Failpoints, failpoints)
  }).pipe(Effect.provide(history()), Effect.mapError(fromError))

/** One plain line with the next command, or the object of a task. */
export const report = (parsed: Parsed, sink: Sink, id: TaskId.TaskId, line: string): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    if (text(parsed, "output") === "json") {
      sink.data(`${JSON.stringify(yield* reading(ResultObject.read(id)))}\n`)
    } else sink.out(`${line}\n`)
    return 0 as const
  })
