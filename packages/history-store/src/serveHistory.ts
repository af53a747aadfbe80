/**
 * How a host composes the thread of its history: `@belay/history-store/serve`.
 *
 * A layer cannot travel to a thread, so what governs the history there is composed in the thread's own entry, whose address
 * the host gives to `layerWorker` as `workerUrl`:
 *
 *     serveHistory((owner) => Layer.mergeAll(TaskStateMachine.layer, Ownership.layerFile(owner), Reconciler.layer))
 */
import * as Effect from "effect/Effect"
import { parentPort, workerData } from "node:worker_threads"
import { type Compose, serve } from "./internal/thread/serve.ts"
import * as Wire from "./internal/thread/wire.ts"

/**
 * Serves the history that the thread was started for until its program closes it. `compose` gives what decides every
 * change of a task, what says who lives, and what finds repairs, for the owner that the program is. Called anywhere else
 * than in such a thread it does nothing.
 */
export const serveHistory = (compose: Compose): void => {
  if (parentPort === null || !Wire.isStart(workerData)) return
  // A defect is an uncaught error of the thread, which ends it.
  void Effect.runPromise(serve(parentPort, workerData.belayHistory, compose))
}
