/**
 * Keeps a history in a thread: when the thread ends, another one takes its place, as the same owner.
 *
 * The lock of the owner is free in between. A process that looks then finds it dead and takes its tasks: the next write
 * of a runner here fails with `LeaseLost`, as after any takeover. If nobody looked, the leases still hold and the runners
 * go on. What only reads, or checks itself whether it was done, is asked again once; a commit never is, since whether it
 * was made is not known: it fails with reason `unknown`, and its runner reads what is there before it writes again.
 */
import type { Command } from "@belay/task-state"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as HistoryError from "../../history/HistoryError.ts"
import * as Thread from "./thread.ts"
import type * as Wire from "./wire.ts"

export interface Kept {
  readonly opened: Wire.Opened
  readonly call: <K extends Wire.Name>(
    name: K,
    ...args: Parameters<Wire.Calls[K]>
  ) => Effect.Effect<
    Effect.Success<ReturnType<Wire.Calls[K]>>,
    Effect.Error<ReturnType<Wire.Calls[K]>> | HistoryError.HistoryError
  >
  /** How many threads there have been before this one. */
  readonly generation: () => number
}

/** So many ends in a row are answered by another start, each later than the one before; a minute of life starts anew. */
const startsAtMost = 5
const soundAfter = 60_000

const delayBefore = (ends: number): number => (ends === 1 ? 0 : 50 * 2 ** (ends - 1))

const nameOf = (error: HistoryError.HistoryError | Thread.ThreadEnded): string =>
  error._tag === "ThreadEnded" ? error.why : error.message

const uncertain = (path: string, { cause, why }: Thread.ThreadEnded) =>
  new HistoryError.HistoryError({
    reason: "unknown",
    path,
    detail: `its thread has ended (${why}) before it answered`,
    ...(cause === undefined ? {} : { cause })
  })

const endedError = (path: string, { cause, why }: Thread.ThreadEnded) =>
  Thread.failed(path, `its thread has ended (${why})`, cause)

/** Starts the thread and waits until its history is open; when the scope closes, the database is closed first. */
export const open = (options: Thread.Options): Effect.Effect<Kept, HistoryError.HistoryError, Scope.Scope> =>
  Effect.gen(function* () {
    const { path } = options
    let next = Deferred.makeUnsafe<Thread.Thread, HistoryError.HistoryError>()
    let thread: Thread.Thread | undefined
    let generation = -1
    let closed = false

    const renew = () => {
      if (Deferred.isDoneUnsafe(next)) next = Deferred.makeUnsafe()
    }

    const start = Effect.try({
      try: () => {
        generation += 1
        // Whoever asks from now on, or asks again, waits for the thread after this one.
        thread = Thread.start(options, renew)
        return thread
      },
      catch: (cause) => Thread.failed(path, `its thread cannot be started (${Thread.textOf(cause)})`, cause)
    })

    const close = Effect.suspend(() => {
      closed = true
      const error = Thread.failed(path, "it was closed")
      Deferred.doneUnsafe(next, Effect.fail(error))
      return thread === undefined ? Effect.void : thread.close
    })

    yield* Effect.addFinalizer(() => close)
    const first = yield* start
    const opened = yield* Effect.catchTag(first.ready, "ThreadEnded", (ended) => Effect.fail(endedError(path, ended)))
    Deferred.doneUnsafe(next, Effect.succeed(first))

    /** A thread whose history is open; none after so many failures. */
    const restart = (
      ends: number,
      why: HistoryError.HistoryError | Thread.ThreadEnded
    ): Effect.Effect<{ readonly thread: Thread.Thread; readonly ends: number }, HistoryError.HistoryError> =>
      Effect.gen(function* () {
        if (ends > startsAtMost) {
          return yield* Thread.failed(path, `its thread has ended (${nameOf(why)}), and is not started any more`, why)
        }
        yield* Effect.sleep(delayBefore(ends))
        yield* Effect.logDebug(`the thread of the history has ended (${nameOf(why)}) and is started again`)
        const again = Effect.flatMap(start, (started) => Effect.as(started.ready, started))
        return yield* Effect.matchEffect(again, {
          onFailure: (error) => restart(ends + 1, error),
          onSuccess: (started) => Effect.succeed({ thread: started, ends })
        })
      })

    const watch = Effect.gen(function* () {
      let live = first
      let ends = 0
      for (;;) {
        const began = yield* Clock.currentTimeMillis
        const why = yield* live.ended
        renew()
        const lived = (yield* Clock.currentTimeMillis) - began
        const started = yield* restart(lived > soundAfter ? 1 : ends + 1, why)
        live = started.thread
        ends = started.ends
        Deferred.doneUnsafe(next, Effect.succeed(live))
      }
    }).pipe(
      Effect.catch((error) => Effect.sync(() => Deferred.doneUnsafe(next, Effect.fail(error)))),
      Effect.provideService(Clock.Clock, Thread.systemClock)
    )
    yield* Effect.forkScoped(watch)

    type Fails = HistoryError.HistoryError | Command.TransitionRejected

    const call = (name: Wire.Name, ...args: Parameters<Wire.Calls[Wire.Name]>): Effect.Effect<unknown, Fails> => {
      const once = Effect.suspend((): Effect.Effect<unknown, Fails | Thread.ThreadEnded> => {
        if (closed) return Effect.fail(Thread.failed(path, "it was closed"))
        return Effect.flatMap(Deferred.await(next), (live) => live.ask(name, ...args))
      })
      const lost = (ended: Thread.ThreadEnded) => {
        if (closed) return Thread.failed(path, "it was closed")
        return name === "commit" && ended.asked ? uncertain(path, ended) : endedError(path, ended)
      }
      const again = (ended: Thread.ThreadEnded) => (name === "commit" && ended.asked ? Effect.fail(ended) : once)
      return once.pipe(
        Effect.catchTag("ThreadEnded", again),
        Effect.catchTag("ThreadEnded", (ended) => Effect.fail(lost(ended)))
      )
    }

    return { opened, call: call as Kept["call"], generation: () => generation }
  })
