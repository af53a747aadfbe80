/** Pages as Markdown, in a thread that ends with its page: a page that is too much for it costs nobody else anything. */
import * as Effect from "effect/Effect"
import { Worker } from "node:worker_threads"
import type { Page } from "./markdownOf.ts"

const timeLimit = "15 seconds"
const heapMb = 256

/** Beside this module's folder, with its extension: sources are `.ts`, what was built or bundled is `.js`. */
const besideThis = (): URL =>
  new URL(import.meta.url.endsWith(".ts") ? "../readable-worker.ts" : "../readable-worker.js", import.meta.url)

const isPage = (value: unknown): value is Page =>
  typeof value === "object" && value !== null && "markdown" in value && typeof value.markdown === "string"

/** Nothing when the page cannot be read in time and space. */
export const read = (html: string, url: string, workerUrl?: URL): Effect.Effect<Page | undefined> =>
  Effect.callback<Page | undefined>((resume) => {
    const worker = new Worker(workerUrl ?? besideThis(), {
      workerData: { belayPage: { html, url } },
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
      // It handles what strangers wrote: it gets no environment.
      env: {},
      stdout: true,
      stderr: true
    })
    const end = (page: Page | undefined) => resume(Effect.succeed(page))
    worker.once("message", (message: unknown) => end(isPage(message) ? message : undefined))
    worker.once("error", () => end(undefined))
    worker.once("exit", () => end(undefined))
    return Effect.promise(() => worker.terminate())
  }).pipe(Effect.timeoutOrElse({ duration: timeLimit, orElse: () => Effect.succeed(undefined) }))
