/**
 * Commands that live longer than the call that started them, each a process of one task.
 *
 * Guarantees: eight of a task at most; each ends with everything it started when it is stopped, when its time is up, and
 * with its task (`release`); output is kept as that of every command. How one ended is told once: by the read that sees
 * it, by its stop, or by `news`, which also tells of those that ended with a process that had the task before.
 */
import type { TaskId } from "@belay/task-state"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type * as CommandOutput from "../output/CommandOutput.ts"
import type { Begun, CommandError, CommandRequest, CommandResult } from "./CommandRunner.ts"
import type { OutputStore } from "../output/OutputStore.ts"
import type * as ProcessGroup from "../process/ProcessGroup.ts"
import * as RunningMarks from "../process/RunningMarks.ts"

const most = 8

/** Until it has said something; then for what it says with it. */
const firstWait = "5 seconds"
const firstMore = "300 millis"

class TooManyError extends Schema.TaggedError<TooManyError>()("TooManyError", {
  ids: Schema.Array(Schema.String)
}) {
  override get message() {
    const { ids } = this
    return `Not started: ${ids.length} background processes are running (${ids.join(", ")}). Stop one with stop_command.`
  }
}

export type End = (ProcessGroup.Exit | { readonly _tag: "TimedOut" } | { readonly _tag: "Stopped" }) &
  Pick<CommandResult, "confined" | "isWhole" | "leftovers" | "outlived" | "refused" | "setAside">

export interface BackgroundProcess {
  readonly id: string
  readonly taskId: TaskId.TaskId
  /** As it is shown. */
  readonly command: string
  readonly end: () => End | undefined
  /** The line that has not ended. */
  readonly held: () => string
  /** What it has put out is in its file. */
  readonly flushed: Effect.Effect<void>
  /** Where the model reads on, in bytes. */
  at: number
  /** The unfinished line that it has been shown. */
  shown: string
  /** From now on `news` waits for what is put out. */
  readonly listen: () => void
  /** Waits until it has put something out or ends. */
  readonly news: Effect.Effect<void>
  /** Ends it, and waits for its end. */
  readonly stop: Effect.Effect<End>
  readonly isTold: () => boolean
  /** Its end has been told. */
  readonly told: () => void
}

/** What happened to a process, to be told once. */
export interface News {
  readonly id: string
  readonly command: string
  /** Nothing for one that ended with the process that had the task before. */
  readonly end: End | undefined
  readonly told: () => void
}

export interface BackgroundProcesses {
  /** Gives it when it has said something, has ended, or after a short while. */
  readonly start: (
    request: Omit<CommandRequest, "progress" | "timeout"> & Partial<Pick<CommandRequest, "timeout">>,
    command: string
  ) => Effect.Effect<BackgroundProcess, CommandError | TooManyError>
  readonly find: (taskId: TaskId.TaskId, id: string) => BackgroundProcess | undefined
  readonly news: (taskId: TaskId.TaskId) => ReadonlyArray<News>
  /** Ends all of the task; what has not been told stays to be told when the task goes on. */
  readonly release: (taskId: TaskId.TaskId) => Effect.Effect<void>
}

export interface Options {
  readonly outputs: OutputStore
  readonly begin: (
    request: CommandRequest,
    told: Pick<CommandOutput.Options, "onKept" | "onText">
  ) => Effect.Effect<Begun, CommandError, Scope.Scope>
  readonly read: (begun: Pick<Begun, "group" | "output">, exited: boolean) => Effect.Effect<boolean>
}

export const make = ({ begin, outputs, read }: Options): BackgroundProcesses => {
  const all = new Map<TaskId.TaskId, Map<string, BackgroundProcess>>()
  const ofTask = (taskId: TaskId.TaskId) => [...(all.get(taskId)?.values() ?? [])]

  const started = Effect.fnUntraced(function* (
    request: Parameters<BackgroundProcesses["start"]>[0],
    command: string
  ): Effect.fn.Return<BackgroundProcess, CommandError> {
    const { taskId, timeout } = request
    const scope = yield* Scope.make()
    const came = Latch.makeUnsafe()
    const stop = yield* Deferred.make<void>()
    const ended = yield* Deferred.make<End>()
    const begun = yield* begin(
      { ...request, timeout: timeout ?? "1 minute", progress: () => Effect.void },
      { onKept: () => {}, onText: () => came.openUnsafe() }
    ).pipe(
      Effect.provideService(Scope.Scope, scope),
      Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit)))
    )
    const { group, output, settle } = begun
    const { flushed, id } = output.recording
    const mark = { id, command }
    const folder = outputs.folder(taskId)
    let end: End | undefined
    let isTold = false

    const exits = timeout === undefined ? Effect.asSome(group.exit) : Effect.timeoutOption(group.exit, timeout)
    const toEnd = Effect.gen(function* () {
      const exit = yield* Effect.raceFirst(exits, Effect.as(Deferred.await(stop), "stopped" as const))
      const isExited = exit !== "stopped" && Option.isSome(exit)
      const leftovers = yield* read(begun, isExited)
      const how = isExited ? exit.value : ({ _tag: exit === "stopped" ? "Stopped" : "TimedOut" } as const)
      const settled = yield* settle
      yield* Scope.close(scope, Exit.void)
      const known: End = { ...how, ...settled, leftovers }
      end = known
      came.openUnsafe()
      yield* Deferred.succeed(ended, known)
    })
    RunningMarks.put(folder, mark)
    const process: BackgroundProcess = {
      id,
      taskId,
      command,
      end: () => end,
      held: output.held,
      flushed: Effect.suspend(() => (end === undefined ? flushed : Effect.void)),
      at: 0,
      shown: "",
      listen: () => {
        if (end === undefined) came.closeUnsafe()
      },
      news: came.await,
      stop: Effect.andThen(Deferred.succeed(stop, undefined), Deferred.await(ended)),
      isTold: () => isTold,
      told: () => {
        isTold = true
        RunningMarks.remove(folder, id)
      }
    }
    const others = all.get(taskId) ?? new Map<string, BackgroundProcess>()
    all.set(taskId, others.set(id, process))
    yield* Effect.forkDetach(toEnd, { startImmediately: true })
    return process
  }, Effect.uninterruptible)

  return {
    start: Effect.fnUntraced(function* (request, command) {
      const running = ofTask(request.taskId).filter((process) => process.end() === undefined)
      if (running.length >= most) return yield* new TooManyError({ ids: running.map(({ id }) => id) })
      const process = yield* started(request, command)
      yield* Effect.timeoutOption(process.news, firstWait)
      if (process.end() === undefined) yield* Effect.sleep(firstMore)
      return process
    }),
    find: (taskId, id) => all.get(taskId)?.get(id),
    news: (taskId) => {
      const known = ofTask(taskId)
      const folder = outputs.folder(taskId)
      const left = RunningMarks.all(folder).filter(({ id }) => known.every((process) => process.id !== id))
      return [
        ...left.map((mark) => ({ ...mark, end: undefined, told: () => RunningMarks.remove(folder, mark.id) })),
        ...known.flatMap(({ command, end, id, isTold, told }) => {
          const how = end()
          return how === undefined || isTold() ? [] : [{ id, command, end: how, told }]
        })
      ]
    },
    release: (taskId) =>
      Effect.suspend(() => {
        const known = ofTask(taskId)
        all.delete(taskId)
        return Effect.forEach(known, ({ stop }) => stop, { concurrency: "unbounded", discard: true })
      })
  }
}
