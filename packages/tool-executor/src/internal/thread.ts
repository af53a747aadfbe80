/**
 * Work on what strangers wrote, in a thread that ends with it: what is too much for the thread costs nobody else anything.
 *
 * The thread is the entry `@belay/tool-executor/readable-worker`; it gets no environment.
 */
import * as Effect from "effect/Effect"
import type { Worker } from "node:worker_threads"

export interface Limits {
  /** Megabytes. */
  readonly heap: number
  readonly seconds: number
}

/** Beside this module's folder, with its extension: sources are `.ts`, what was built or bundled is `.js`. */
const besideThis = (): URL =>
  new URL(import.meta.url.endsWith(".ts") ? "../readable-worker.ts" : "../readable-worker.js", import.meta.url)

/** What is to be installed, as a sentence, where the thread said so instead of an answer. */
export const missing = (answer: unknown): string | undefined =>
  typeof answer === "object" && answer !== null && "belayMissing" in answer
    ? `Reading it needs what is not installed: npm install ${String(answer.belayMissing)}`
    : undefined

/** What the thread answers; nothing when it cannot in time and space. */
export const run = (workerData: object, limits: Limits, workerUrl?: URL): Effect.Effect<unknown> =>
  Effect.callback<unknown>((resume) => {
    // Not imported: few tasks need one, and each would load what threads are made of.
    const threads = process.getBuiltinModule("node:worker_threads")
    const worker: Worker = new threads.Worker(workerUrl ?? besideThis(), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: limits.heap },
      env: {},
      stdout: true,
      stderr: true
    })
    const end = (answer: unknown) => resume(Effect.succeed(answer))
    worker.once("message", end)
    worker.once("error", () => end(undefined))
    worker.once("exit", () => end(undefined))
    return Effect.promise(() => worker.terminate())
  }).pipe(Effect.timeoutOrElse({ duration: `${limits.seconds} seconds`, orElse: () => Effect.succeed(undefined) }))
