/**
 * One thread of a history as its program sees it: calls go in, each is answered or fails, and nobody waits for ever.
 *
 * A thread that ends for whatever reason fails what is pending with `ThreadEnded`; what becomes of that is for
 * `keeper.ts` to say.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Worker } from "node:worker_threads"
import * as Preload from "./Preload.ts"
import * as HistoryError from "../../history/HistoryError.ts"
import * as Wire from "./wire.ts"

export interface Options {
  readonly url: URL | string
  readonly start: Wire.Start
  readonly maxHeapMb?: number
  /** The first thread, which was started already. */
  readonly ahead?: Preload.Preload
  /** The database, for messages. */
  readonly path: string
}

/** The thread ended before it answered; whether it did what it was asked is not known. */
export class ThreadEnded extends Data.TaggedError("ThreadEnded")<{
  /** In a few words. */
  readonly why: string
  /** False when it had ended before it was asked. */
  readonly asked: boolean
  readonly cause?: unknown
}> {}

type Answer<K extends Wire.Name> = Effect.Effect<
  Effect.Success<ReturnType<Wire.Calls[K]>>,
  Effect.Error<ReturnType<Wire.Calls[K]>> | HistoryError.HistoryError | ThreadEnded
>

export interface Thread {
  /** Waits until its history is open. Errors: that of opening it, or that it ended before. */
  readonly ready: Effect.Effect<Wire.Opened, HistoryError.HistoryError | ThreadEnded>
  readonly ask: <K extends Wire.Name>(name: K, ...args: Parameters<Wire.Calls[K]>) => Answer<K>
  readonly ended: Effect.Effect<ThreadEnded>
  /** Closes the database and ends the thread; what is pending is given up. */
  readonly close: Effect.Effect<void>
}

export const failed = (path: string, detail: string, cause?: unknown) =>
  new HistoryError.HistoryError({ reason: "failed", path, detail, ...(cause === undefined ? {} : { cause }) })

/** Copied, nothing is transferred. */
const post = (worker: Worker, asked: Wire.Asked): void => worker.postMessage(asked, [])

type Resume = (answer: Effect.Effect<any, any>) => void

export const textOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

export const systemClock = Context.get(Context.empty(), Clock.Clock)

const callersTime = Clock.clockWith((clock) =>
  Effect.succeed(clock === systemClock ? null : clock.currentTimeMillisUnsafe())
)

/** The calls under way. The thread keeps the program alive as long as there are any. */
const makePending = (worker: Worker) => {
  const resumes = new Map<number, Resume>()
  let last = 0
  const add = (resume: Resume): number => {
    if (resumes.size === 0) worker.ref()
    resumes.set(++last, resume)
    return last
  }
  const settle = (id: number, answer: Effect.Effect<unknown, unknown>) => {
    const resume = resumes.get(id)
    resumes.delete(id)
    if (resumes.size === 0) worker.unref()
    resume?.(answer)
  }
  /** Waits for the thread to be done with a call whose answer nobody wants any more. */
  const abandon = (id: number) =>
    Effect.callback<void>((resume) => {
      if (!resumes.has(id)) return resume(Effect.void)
      resumes.set(id, () => resume(Effect.void))
      post(worker, { _tag: "Cancel", id })
    })
  const settleAll = (answer: Effect.Effect<unknown, unknown>) => {
    for (const id of resumes.keys()) settle(id, answer)
  }
  return { add, settle, abandon, settleAll }
}

/** Starts a thread. Throws when there cannot be one. `onEnd` runs before any pending call hears of its end. */
export const start = (options: Options, onEnd: () => void): Thread => {
  const { path } = options
  const ahead = options.ahead?.take()
  const worker = ahead?.worker ?? Preload.worker(options.url, options.start, options.maxHeapMb)
  const pending = makePending(worker)
  const opened = Deferred.makeUnsafe<Wire.Opened, HistoryError.HistoryError | ThreadEnded>()
  const closed = Deferred.makeUnsafe<void>()
  const ended = Deferred.makeUnsafe<ThreadEnded>()
  let crash: unknown
  let closing = false
  let over: string | undefined
  const endOf = (why: string, asked: boolean) =>
    new ThreadEnded({ why, asked, ...(crash === undefined ? {} : { cause: crash }) })

  worker.on("message", (told: Wire.Told) => {
    switch (told._tag) {
      case "Opened":
        Deferred.doneUnsafe(opened, Effect.succeed(told.opened))
        return
      case "Refused":
        Deferred.doneUnsafe(opened, Wire.decode(told.outcome, failed(path, "it was closed")) as Effect.Effect<never>)
        return
      case "Reply":
        pending.settle(
          told.id,
          Wire.decode(told.outcome, failed(path, closing ? "it was closed" : "its thread gave up"))
        )
        return
      case "Closed":
        Deferred.doneUnsafe(closed, Effect.void)
    }
  })
  worker.on("error", (cause) => {
    crash = cause
  })
  worker.on("messageerror", (cause) => {
    crash = cause
    void worker.terminate()
  })
  worker.on("exit", (code) => {
    const why = crash === undefined ? `exit code ${code}` : textOf(crash)
    over = why
    const end = endOf(why, true)
    onEnd()
    Deferred.doneUnsafe(opened, Effect.fail(end))
    Deferred.doneUnsafe(closed, Effect.void)
    Deferred.doneUnsafe(ended, Effect.succeed(end))
    pending.settleAll(Effect.fail(end))
  })

  ahead?.tell()

  const ask: Thread["ask"] = (name, ...args) =>
    Effect.flatMap(callersTime, (now) =>
      Effect.callback((resume) => {
        if (over !== undefined) return resume(Effect.fail(endOf(over, false)))
        const id = pending.add(resume)
        try {
          post(worker, { _tag: "Call", id, name, args, now })
        } catch (cause) {
          pending.settle(id, Effect.die(cause))
        }
        return pending.abandon(id)
      })
    )

  const close = Effect.gen(function* () {
    if (over === undefined) {
      closing = true
      worker.ref()
      post(worker, { _tag: "Close" })
    }
    yield* Effect.interruptible(Effect.timeoutOption(Deferred.await(closed), "10 seconds"))
    yield* Effect.promise(() => worker.terminate())
  })

  const ready = Effect.tap(Deferred.await(opened), () => Effect.sync(() => worker.unref()))
  return { ready, ask, ended: Deferred.await(ended), close }
}
