/**
 * The thread of a history, started before the code that uses it is loaded: both are then ready at about the same time.
 *
 * It opens the history as `layerWorker` would and waits to be taken over by it, with what it said meanwhile. Nothing but
 * Node is imported here.
 */
import { randomBytes } from "node:crypto"
import { Worker, type WorkerOptions } from "node:worker_threads"

/** Tells the thread which history to open. */
export interface Start {
  /** What the thread is told: its folder, its kind, its owner. */
  readonly belayHistory: { readonly directory: string; readonly kind: string; readonly ownerId: string }
}

/** A thread that somebody has taken over. */
export interface Taken {
  readonly worker: Worker
  /** Says again what the thread has said so far, to those who listen now. */
  readonly tell: () => void
}

/** A thread that was started before anybody needs it. */
export interface Preload {
  readonly start: Start
  /** The thread, once. */
  readonly take: () => Taken | undefined
  /** Ends it where nobody has taken it. */
  readonly end: () => void
}

/** From sources, packages of the workspace are found by their sources. */
const optionsOf = (url: URL | string, start: Start, maxHeapMb: number | undefined): WorkerOptions => ({
  name: "belay-history",
  workerData: start,
  ...(String(url).endsWith(".ts") ? { execArgv: ["--conditions=@belay/source"] } : {}),
  ...(maxHeapMb === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } })
})

/** Throws when there cannot be a thread. */
export const worker = (url: URL | string, start: Start, maxHeapMb?: number): Worker =>
  new Worker(url, optionsOf(url, start, maxHeapMb))

const names = ["message", "messageerror", "error", "exit"] as const

/** Starts it. Throws when there cannot be a thread. */
export const start = (options: {
  readonly directory: string
  readonly kind: string
  /** The module `@belay/history-store/worker`. */
  readonly workerUrl: URL | string
}): Preload => {
  const { workerUrl, ...own } = options
  const told: Array<() => void> = []
  const start = { belayHistory: { ...own, ownerId: randomBytes(16).toString("hex") } }
  const begun = worker(workerUrl, start)
  let left: Worker | undefined = begun
  begun.unref()
  const listeners = names.map((name) => {
    const listener = (value: unknown): void => void told.push(() => begun.emit(name, value))
    begun.on(name, listener)
    return [name, listener] as const
  })
  const take = (): Worker | undefined => {
    const taken = left
    left = undefined
    return taken
  }
  return {
    start,
    take: () => {
      const taken = take()
      return taken === undefined
        ? undefined
        : {
            worker: taken,
            tell: () => {
              for (const [name, listener] of listeners) taken.off(name, listener)
              for (const tell of told.splice(0)) tell()
            }
          }
    },
    end: () => void take()?.terminate()
  }
}
