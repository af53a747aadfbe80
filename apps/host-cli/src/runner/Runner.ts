/**
 * `belay runner`: runs what client programs have queued, several tasks at once, and ends when there has been no work for a
 * minute. A host like any other: it has its tasks by leases, and whatever ends it, they go on elsewhere.
 *
 * What a runner that died had begun is begun again, at most three times; what waits for an answer is left alone until
 * it has one. Nobody is here: what asks is answered from elsewhere, for a day.
 */
import { type QueuedTask, TaskHistory } from "@belay/history-store"
import * as DataFolder from "@belay/history-store/data-folder"
import { checkpointBounds, variablesOf } from "@belay/settings/file"
import { TaskEngine, UserPort } from "@belay/task-engine"
import type { TaskId } from "@belay/task-state"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import type { ExitCode, Failure } from "../cli/Failure.ts"
import { fromError } from "../cli/Failure.ts"
import * as Failpoints from "../cli/Failpoints.ts"
import { running } from "../composition.ts"
import type { Sink } from "../output/Sink.ts"
import * as Key from "../settings/Key.ts"
import * as User from "../settings/User.ts"
import * as Signals from "../terminal/Signals.ts"
import * as RunnerLock from "./RunnerLock.ts"

/** Tasks at once, and subtasks of each. */
const concurrency = 4
const mostTries = 3
/** How long an answer is waited for, in hours. */
const patience = 24
const lookEvery = "250 millis"
/** ms after which a task that waits is looked at though nothing has happened to it. */
const lookAgain = 5000
/** ms without work after which it ends. */
const idle = 60_000

const layerOf = Effect.gen(function* () {
  const directory = DataFolder.directory()
  const user = yield* User.load
  const waits = Effect.as(Effect.sleep(`${patience} hours`), undefined)
  return running({
    directory,
    ways: yield* Key.both(user.model),
    bounds: checkpointBounds(user),
    concurrency,
    person: Layer.succeed(UserPort, { attended: true, endsWithWords: true, approve: () => waits, answer: () => waits }),
    failpoints: yield* Effect.fromResult(Failpoints.fromEnvironment()),
    variables: variablesOf(user),
    bash: user.shell?.bash
  })
})

type Next = "run" | "resume" | "wait" | "drop"

/** What is to be done with a queued task now. */
const nextOf = ({ id, tries }: QueuedTask) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const row = Option.getOrUndefined(yield* history.row(id))
    if (row === undefined || row.record.status === "completed" || row.record.deletedAt !== undefined) {
      return "drop" satisfies Next
    }
    if (row.lease?.alive === true && row.lease.ownerId !== history.me) return "wait" satisfies Next
    if (row.record.status === "created") return "run" satisfies Next
    if (tries >= mostTries) return "drop" satisfies Next
    return (yield* history.asks(id)).some(({ open }) => open) ? ("wait" satisfies Next) : ("resume" satisfies Next)
  })

const dropped = (taskId: TaskId.TaskId) =>
  Effect.flatMap(TaskHistory, (history) => history.commit([{ _tag: "Unqueue", taskId }]))

/** To where it stops; what is stopped because this process ends stays queued. */
const carryOut = (id: TaskId.TaskId, next: "run" | "resume") =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const engine = yield* TaskEngine
    yield* history.commit([{ _tag: "QueueTried", taskId: id }])
    if (next === "resume") yield* engine.resume(id, {})
    yield* engine.run(id)
    const left = Option.getOrUndefined(yield* history.row(id))?.record
    if (left?.status === "interrupted" && left.interruption.reason === "host") return
    yield* dropped(id)
  })

/** Runs what is queued until there has been nothing for a minute, or it is stopped. */
const work = (sink: Sink, hasStopped: () => boolean) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const runs = yield* Effect.scope
    const mine = new Set<TaskId.TaskId>()
    const begin = (id: TaskId.TaskId, next: "run" | "resume") =>
      Effect.suspend(() => {
        mine.add(id)
        const told = Effect.catchCause(carryOut(id, next), (cause) =>
          Effect.suspend(() => {
            if (Cause.hasInterruptsOnly(cause)) return Effect.void
            sink.err(`belay: task ${id}: ${fromError(Cause.squash(cause)).what}\n`)
            return Effect.ignore(dropped(id))
          })
        )
        const over = Effect.ensuring(
          told,
          Effect.sync(() => mine.delete(id))
        )
        return Effect.forkIn(over, runs)
      })
    /** Those that can only wait, at which event, and when that was seen. */
    const waiting = new Map<TaskId.TaskId, { readonly lastSeq: number; readonly at: number }>()
    let workedAt = yield* Clock.currentTimeMillis
    while (!hasStopped()) {
      const now = yield* Clock.currentTimeMillis
      for (const queued of yield* history.queue) {
        if (mine.has(queued.id) || mine.size >= concurrency) continue
        const { lastSeq } = queued
        const known = waiting.get(queued.id)
        // A process that dies tells nobody of it.
        if (known?.lastSeq === lastSeq && now - known.at < lookAgain) continue
        const next = yield* nextOf(queued)
        if (next === "wait") waiting.set(queued.id, { lastSeq, at: now })
        else waiting.delete(queued.id)
        if (next === "drop") yield* dropped(queued.id)
        else if (next !== "wait") yield* begin(queued.id, next)
      }
      if (mine.size > 0) workedAt = now
      else if (now - workedAt > idle) return
      yield* Effect.sleep(lookEvery)
    }
  })

/** Whether something is there that this process could run. */
const isNeeded = Effect.gen(function* () {
  for (const queued of yield* (yield* TaskHistory).queue) {
    const next = yield* nextOf(queued)
    if (next === "run" || next === "resume") return true
  }
  return false
})

const onTurn = (sink: Sink, hasStopped: () => boolean) =>
  Effect.scoped(
    Effect.gen(function* () {
      if (!(yield* RunnerLock.hold(DataFolder.directory()))) return "taken" as const
      yield* (yield* TaskHistory).reconcile(new Set())
      yield* work(sink, hasStopped)
      return "over" as const
    })
  )

export const run = (sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const state = { stopped: false }
    const scope = yield* Scope.make()
    const services = yield* Layer.buildWithScope(yield* layerOf, scope)
    const turns = Effect.gen(function* () {
      const engine = yield* TaskEngine
      yield* Signals.onFirst(() => {
        state.stopped = true
        return Effect.forEach(engine.kept(), (id) => engine.interrupt(id, "host"), { concurrency: "unbounded" })
      })
      while (!state.stopped) {
        if ((yield* onTurn(sink, () => state.stopped)) === "taken") return
        // What came while it had the lock no more, and nobody else has taken it.
        if (state.stopped || !(yield* isNeeded)) return
      }
    })
    yield* turns.pipe(
      Effect.scoped,
      Effect.provide(services),
      Effect.ensuring(Scope.close(scope, Exit.void)),
      Effect.mapError(fromError)
    )
    return 0 as const
  }).pipe(Effect.mapError(fromError))
