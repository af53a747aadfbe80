/**
 * The thread of a history as its program sees it: calls go in, each is answered or fails, and nobody waits for ever.
 *
 * A thread that ends for whatever reason fails what is pending and what is asked later. Its lock is free then, so other
 * processes repair its tasks; this program cannot write to them any more.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Worker, type WorkerOptions } from "node:worker_threads"
import * as HistoryError from "../HistoryError.ts"
import * as Wire from "./wire.ts"

export interface Options {
  readonly url: URL | string
  readonly start: Wire.Start
  readonly maxHeapMb?: number
  /** The database, for messages. */
  readonly path: string
}

type Answer<K extends Wire.Name> = Effect.Effect<
  Effect.Success<ReturnType<Wire.Calls[K]>>,
  Effect.Error<ReturnType<Wire.Calls[K]>> | HistoryError.HistoryError
>

export interface Thread {
  readonly opened: Wire.Opened
  readonly call: <K extends Wire.Name>(name: K, ...args: Parameters<Wire.Calls[K]>) => Answer<K>
}

/** From sources, packages of the workspace are found by their sources. */
const workerOptions = ({ maxHeapMb, start, url }: Options): WorkerOptions => ({
  name: "belay-history",
  workerData: start,
  ...(String(url).endsWith(".ts") ? { execArgv: ["--conditions=@belay/source"] } : {}),
  ...(maxHeapMb === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } })
})

const failed = (path: string, detail: string, cause?: unknown) =>
  new HistoryError.HistoryError({ reason: "failed", path, detail, ...(cause === undefined ? {} : { cause }) })

/** Copied, nothing is transferred. */
const post = (worker: Worker, asked: Wire.Asked): void => worker.postMessage(asked, [])

type Resume = (answer: Effect.Effect<any, any>) => void

const textOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

const systemClock = Context.get(Context.empty(), Clock.Clock)

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

const start = (options: Options) => {
  const { path } = options
  const worker = new Worker(options.url, workerOptions(options))
  const pending = makePending(worker)
  const opened = Deferred.makeUnsafe<Wire.Opened, HistoryError.HistoryError>()
  const closed = Deferred.makeUnsafe<void>()
  let crash: unknown
  /** Why nothing can be asked any more. */
  let over: HistoryError.HistoryError | undefined

  worker.on("message", (told: Wire.Told) => {
    switch (told._tag) {
      case "Opened":
        Deferred.doneUnsafe(opened, Effect.succeed(told.opened))
        return
      case "Refused":
        Deferred.doneUnsafe(opened, Wire.decode(told.outcome, failed(path, "it was closed")) as Effect.Effect<never>)
        return
      case "Reply":
        pending.settle(told.id, Wire.decode(told.outcome, over ?? failed(path, "its thread gave up")))
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
    over ??= failed(path, `its thread has ended (${why})`, crash)
    Deferred.doneUnsafe(opened, Effect.fail(over))
    Deferred.doneUnsafe(closed, Effect.void)
    pending.settleAll(Effect.fail(over))
  })

  const call: Thread["call"] = (name, ...args) =>
    Effect.flatMap(callersTime, (now) =>
      Effect.callback((resume) => {
        if (over !== undefined) return resume(Effect.fail(over))
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
      over = failed(path, "it was closed")
      worker.ref()
      post(worker, { _tag: "Close" })
    }
    yield* Effect.interruptible(Effect.timeoutOption(Deferred.await(closed), "10 seconds"))
    yield* Effect.promise(() => worker.terminate())
  })

  const ready = Effect.tap(Deferred.await(opened), () => Effect.sync(() => worker.unref()))
  return { call, close, ready }
}

/** Starts the thread and waits until its history is open; when the scope closes, the database is closed first. */
export const open = (options: Options): Effect.Effect<Thread, HistoryError.HistoryError, Scope.Scope> =>
  Effect.gen(function* () {
    const { call, ready } = yield* Effect.acquireRelease(
      Effect.try({
        try: () => start(options),
        catch: (cause) => failed(options.path, `its thread cannot be started (${textOf(cause)})`, cause)
      }),
      ({ close }) => close
    )
    return { opened: yield* ready, call }
  })
