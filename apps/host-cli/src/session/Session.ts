/**
 * One process that runs one task to where it stops: events out, signals in, one result at the end.
 *
 * `run` and `task resume` differ in how the task begins and in nothing else.
 */
import { type HistoryError, TaskHistory } from "@belay/history-store"
import { type RunResult, UserPort, TaskEngine, TaskEvents } from "@belay/task-engine"
import { Deleting, TaskNode } from "@belay/task-engine/remote"
import { Copy, Words } from "@belay/interaction"
import { checkpointBounds, variablesOf } from "@belay/settings/file"
import type { Command, TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { running } from "../composition.ts"
import * as Detached from "./Detached.ts"
import * as DetachedChannel from "../output/DetachedChannel.ts"
import * as Denials from "../policy/Denials.ts"
import { Failure, type ExitCode, fromError, line } from "../cli/Failure.ts"
import * as Failpoints from "../cli/Failpoints.ts"
import * as Input from "../terminal/Input.ts"
import * as Key from "../settings/Key.ts"
import * as ResultObject from "../result/ResultObject.ts"
import type { Sink } from "../output/Sink.ts"
import * as View from "./View.ts"
import * as Pipes from "../output/Pipes.ts"
import * as Paused from "./Paused.ts"
import type { RunOptions } from "./RunOptions.ts"
import * as Trusting from "../settings/Trusting.ts"
import * as User from "../settings/User.ts"
import * as Sharing from "./Sharing.ts"
import { showing } from "./Showing.ts"
import * as Signals from "../terminal/Signals.ts"
import * as Terminal from "../terminal/Terminal.ts"

type Begin = Effect.Effect<
  TaskId.TaskId,
  Failure | Command.TransitionRejected | HistoryError.HistoryError,
  TaskEngine | TaskHistory
>

interface Finished {
  readonly code: ExitCode
  readonly object: ResultObject.ResultObject
  readonly failure?: Failure
  /** Of a run that was stopped: what it was asking. */
  readonly asked?: string
}

/** How it ended, with what was denied, which is looked at only then. */
interface Reported extends Finished {
  readonly denied: ReadonlyArray<string>
  readonly refused: ReadonlyArray<Denials.Denied>
}

const withDenials = (finished: Finished, denials: Denials.Denials) =>
  Effect.gen(function* () {
    const all = denials.all()
    if (all.length === 0)
      return { ...finished, object: ResultObject.withDenials(finished.object, []), denied: [], refused: [] }
    const Allowing = yield* Effect.promise(() => import("../policy/Allowing.ts"))
    const { denials: told, lines } = yield* Allowing.of(yield* TaskHistory, all)
    return {
      ...finished,
      object: ResultObject.withDenials(finished.object, told),
      denied: lines,
      refused: all
    } satisfies Reported
  })

const codeOf = (object: ResultObject.ResultObject, interrupted: boolean): ExitCode => {
  if (object.status === "completed") return object.outcome === "succeeded" ? 0 : 1
  if (object.outcome === "planned") return 0
  return interrupted ? 130 : 3
}

/** A failure anywhere below says why the whole did not finish. */
const finish = (id: TaskId.TaskId, failure: Failure | undefined, signalled: boolean) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const row = yield* history.row(id)
    const object = yield* ResultObject.read(id)
    if (Option.isNone(row) || object === undefined) {
      return yield* new Failure({ code: 2, tag: "NotFound", what: `no task ${id}`, hint: 'See "belay task list".' })
    }
    // However it ended for the process that took it over, this one has lost it.
    const lost = failure?.tag === "TransitionRejected"
    const code =
      failure !== undefined && (lost || object.status !== "completed") ? failure.code : codeOf(object, signalled)
    if (code === 3 && failure === undefined) {
      const paused = Paused.of(yield* TaskNode.whole(row.value), object)
      return { code, object, failure: paused } satisfies Finished
    }
    if (failure === undefined || code !== failure.code) {
      const asked = code === 130 ? Paused.open(yield* TaskNode.whole(row.value)) : undefined
      return { code, object, ...(asked === undefined ? {} : { asked }) } satisfies Finished
    }
    const { cause, hint, tag, what } = failure
    const goOn = `Then go on with: belay task resume ${Words.shortId(id)}`
    // The model answers no more: the run has failed, and the task may go on with another one.
    if (tag === "StoppedShort") {
      const failed = new Failure({ code, tag, what, hint: `${hint} ${goOn} --model ID`, cause })
      return { code, object: { ...object, outcome: "failed" }, failure: failed } satisfies Finished
    }
    const onwards = code === 4 ? `${hint} ${goOn}` : hint
    return { code, object, failure: new Failure({ code, tag, what, hint: onwards, cause }) } satisfies Finished
  })

/** What the person at the terminal is shown besides what is asked; there once the task that runs is there. */
interface Place {
  workspace: string
  /** What an open approval would write. */
  proposals: Terminal.Proposals
  /** The person leaves: as a signal does it. */
  leave: () => void
}

const program = (
  directory: string,
  begin: Begin,
  view: View.View,
  sink: Sink,
  input: Input.Input | undefined,
  place: Place
) =>
  Effect.gen(function* () {
    const engine = yield* TaskEngine
    const events = yield* TaskEvents
    let service: string | undefined
    const shown = yield* showing(view)
    yield* events.listen(shown.take)
    const denials = Denials.make()
    yield* events.listen(denials.note)
    yield* events.listen((event) => {
      if (event.type === "error" && event.tag === "ModelError") service = event.message
    })
    yield* Deleting.expire(Deleting.removeFiles(directory))
    const id = yield* begin
    const row = Option.getOrUndefined(yield* (yield* TaskHistory).row(id))
    place.workspace = row?.meta.workspace ?? ""
    place.proposals = (task, askId) => Effect.orElseSucceed(engine.proposals(task, askId), () => [])
    yield* shown.begin(row, engine.tools)
    yield* Trusting.advise(place.workspace, sink)
    if (row !== undefined) yield* Sharing.watch(row, sink)
    DetachedChannel.begun(id, sink.flush)
    // A plan that is handed over goes on as the task that carries it out.
    let current = id
    yield* events.listen((event) => {
      if (event.type === "task.created" && event.continuesTaskId === current) current = event.taskId
    })
    // A signal can come before the runner is there: it is kept until it is.
    const started = Effect.sync(() => engine.running().has(current)).pipe(
      Effect.repeat({ schedule: Schedule.spaced("5 millis"), until: (runs) => runs })
    )
    const stop = Effect.forkDetach(
      Effect.andThen(
        started,
        Effect.suspend(() => engine.interrupt(current, "user"))
      )
    )
    const context = yield* Effect.context()
    let hasLeft = false
    place.leave = () => {
      if (hasLeft) return
      hasLeft = true
      Effect.runForkWith(context)(stop)
    }
    const signalled = yield* Signals.onFirst(() => stop)
    for (const stream of Pipes.ofResult()) {
      yield* Effect.acquireRelease(
        Effect.sync(() => stream.once("error", place.leave)),
        () => Effect.sync(() => stream.off("error", place.leave))
      )
    }
    if (input !== undefined)
      yield* Effect.forkChild(
        Effect.andThen(
          started,
          input.listen(() => current)
        )
      )
    const ended = yield* Effect.mapError(engine.run(id), fromError)
    const taken = yield* Effect.mapError(takenOver(ended), fromError)
    const failure =
      ended.failure === undefined
        ? service === undefined
          ? undefined
          : serviceFailure(service)
        : (taken ?? fromError(ended.failure))
    const finished = yield* Effect.mapError(finish(ended.record.id, failure, signalled() || hasLeft), fromError)
    return yield* withDenials(finished, denials)
  }).pipe(Effect.mapError(fromError))

/** Who has the task that ran here, and how to follow it. */
const takenOver = ({ failure, holder, record }: RunResult) =>
  Effect.gen(function* () {
    if (failure?._tag !== "TransitionRejected" || failure.rule !== "LeaseLost") return undefined
    const row = yield* (yield* TaskHistory).row(record.id)
    const title = Option.match(row, { onNone: () => "", onSome: ({ meta }) => meta.title })
    const verb = holder === undefined ? "See it: belay task show" : "It goes on there. Follow it: belay task watch"
    return new Failure({
      code: 2,
      tag: failure._tag,
      what: Copy.takenOver({ title, holder }),
      hint: `${verb} ${Words.shortId(record.id)}`,
      cause: failure
    })
  })

/** A subtask's model call failed: the whole waits for it. */
const serviceFailure = (message: string): Failure => {
  const { hint, what } = fromError(new Error(message))
  return new Failure({ code: 4, tag: "ModelError", what, hint })
}

const report = (options: RunOptions, sink: Sink, view: View.View, finished: Reported): void => {
  const { failure } = finished
  const errored = failure !== undefined && finished.code !== 3
  const object = errored ? ResultObject.withError(finished.object, failure) : finished.object
  if (options.output === "json") sink.data(`${JSON.stringify(object)}\n`)
  if (options.output === "stream-json") sink.data(`${JSON.stringify({ type: "result", ...object })}\n`)
  const isError = finished.code !== 0
  const error = failure === undefined ? (isError ? "stopped" : undefined) : `${failure.what}. ${failure.hint}`
  view.end(finished.object.result, { isError, result: object.result, error, denied: finished.refused })
  for (const said of finished.denied) sink.err(`${said}\n`)
  if (failure !== undefined) sink.err(line(failure))
  if (finished.object.outcome === "planned") {
    const id = Words.shortId(finished.object.taskId ?? "")
    sink.err(`The plan waits. Carry it out: belay task resume ${id} --mode act\n`)
  }
  if (finished.code === 130) {
    const id = Words.shortId(finished.object.taskId ?? "")
    const open = finished.asked === undefined ? "nothing was lost." : `an answer is open: ${finished.asked}`
    sink.err(`belay: stopped; ${open} Go on with: belay task resume ${id}\n`)
  }
}

/** Runs a task in this process; `workspace` is that of a new one; `mode` is the one that it begins in unless the flags say one. Errors before there is a task are failures; afterwards they are part of the result. */
export const run = (
  directory: string,
  options: RunOptions & { readonly workspace?: string },
  begin: Begin,
  sink: Sink,
  mode: Effect.Effect<Key.Mode, Failure> = Effect.succeed("act")
): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const settings = yield* User.load
    const ways = yield* Key.ways(options.mode ?? (yield* mode), settings.model)
    const bounds = checkpointBounds(settings)
    const view = View.make(options, sink)
    const place: Place = { workspace: "", proposals: () => Effect.succeed([]), leave: () => process.exit(130) }
    const at = () => place.workspace
    const there: Terminal.There = {
      at,
      look: options.look,
      reader: options.reader,
      proposals: (task, askId) => place.proposals(task, askId),
      hold: view.hold,
      leave: () => place.leave()
    }
    const failpoints = yield* Effect.fromResult(Failpoints.fromEnvironment())
    const input = options.input === undefined ? undefined : Input.make(sink, at)
    const away = Detached.person(() => place.leave())
    const unasked = away ?? (Terminal.isAttended() ? Terminal.layer(sink, there) : UserPort.layerUnattended)
    const person = input?.person ?? unasked
    const { concurrency, familiar, workspace } = options
    const servers = familiar.mcp?.servers
    const variables = variablesOf(settings)
    const { bash } = settings.shell ?? {}
    const layer = running({
      bash,
      directory,
      ways,
      bounds,
      concurrency,
      person,
      failpoints,
      servers,
      variables,
      workspace
    })
    const finished = yield* program(directory, begin, view, sink, input, place).pipe(
      Effect.scoped,
      Effect.provide(layer),
      Effect.mapError(fromError)
    )
    report(options, sink, view, finished)
    return finished.code
  })
