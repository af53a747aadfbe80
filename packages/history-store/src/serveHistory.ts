/**
 * How a host composes the thread of its history: `@belay/history-store/serve`.
 *
 * A layer cannot travel to a thread, so what decides there is composed in the thread's own entry, whose address the host
 * gives to `layerWorker` as `workerUrl`:
 *
 *     serveHistory(TaskStateMachine.layer)
 */
import type { TaskStateMachine } from "@belay/task-state"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { parentPort, workerData } from "node:worker_threads"
import { serve } from "./internal/thread/serve.ts"
import * as Wire from "./internal/thread/wire.ts"

/**
 * Serves the history that the thread was started for until its program closes it; `machine` decides every change of a
 * task. Called anywhere else than in such a thread it does nothing.
 */
export const serveHistory = (machine: Layer.Layer<TaskStateMachine>): void => {
  if (parentPort === null || !Wire.isStart(workerData)) return
  // A defect is an uncaught error of the thread, which ends it.
  void Effect.runPromise(serve(parentPort, workerData.belayHistory, machine))
}
