/**
 * Effects for programs that have promises: the one adapter of all `/promise` entries.
 *
 * Guarantees: a promise rejects with the very error that the effect fails with, or with what it dies of; after an abort
 * with the reason of the signal. What had ended before the abort keeps its value.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"

/** Ends what is under way. */
export interface Abortable {
  readonly signal?: AbortSignal | undefined
}

const settled = <A, E>(exit: Exit.Exit<A, E>, signal: AbortSignal | undefined): A => {
  if (exit._tag === "Success") return exit.value
  if (Cause.hasInterruptsOnly(exit.cause)) signal?.throwIfAborted()
  throw Cause.squash(exit.cause)
}

const optionsOf = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { signal })

/** Runs an effect that needs nothing. Nothing is begun where the signal is aborted already. */
export const run = async <A, E>(effect: Effect.Effect<A, E>, { signal }: Abortable = {}): Promise<A> => {
  signal?.throwIfAborted()
  return settled(await Effect.runPromiseExit(effect, optionsOf(signal)), signal)
}

/** Runs effects with the services of a runtime. */
export const runIn =
  <R, ER>(runtime: ManagedRuntime.ManagedRuntime<R, ER>) =>
  async <A, E>(effect: Effect.Effect<A, E, R>, { signal }: Abortable = {}): Promise<A> => {
    signal?.throwIfAborted()
    return settled(await runtime.runPromiseExit(effect, optionsOf(signal)), signal)
  }

const aborted = (signal: AbortSignal): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const end = () => resume(Effect.void)
    if (signal.aborted) end()
    signal.addEventListener("abort", end, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", end))
  })

/** Each use runs the stream anew. It throws the error of the stream, and the reason of the signal after an abort. */
export const iterate = async function* <A, E>(
  stream: Stream.Stream<A, E>,
  { signal }: Abortable = {}
): AsyncGenerator<A, void, undefined> {
  signal?.throwIfAborted()
  const ended = signal === undefined ? stream : Stream.interruptWhen(stream, aborted(signal))
  yield* Stream.toAsyncIterable(ended)
  signal?.throwIfAborted()
}

/** The stream of what a foreign iterable gives; `fail` makes an error of what it throws. Interruption ends the iterable. */
export const streamOf = <A, E>(
  make: (signal: AbortSignal) => AsyncIterable<A>,
  fail: (cause: unknown) => E
): Stream.Stream<A, E> =>
  Stream.unwrap(
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => new AbortController()),
        (controller) => Effect.sync(() => controller.abort())
      ),
      ({ signal }) => Stream.suspend(() => Stream.fromAsyncIterable(make(signal), fail))
    )
  )
