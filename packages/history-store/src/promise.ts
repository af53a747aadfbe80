/**
 * The history for programs without Effect: what tasks there are, what was said in them, and what changes.
 */
import { runIn } from "@belay/machine/promise"
import { Reconciler, TaskStateMachine } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { HistoryError as Failure } from "./history/HistoryError.ts"
import { TaskHistory } from "./history/TaskHistory.ts"
import { layerReader, layerSqlite } from "./internal/store/layer.ts"
import { Ownership } from "./ownership/Ownership.ts"
import type { Abortable, History } from "./promise/History.ts"
import { historyOf } from "./promise/historyOf.ts"

export type * from "./promise/History.ts"
export type * from "./promise/TaskEvent.ts"
export type { InterruptReason, TaskLineage, TaskOutcome, TaskRecord, TaskStatus } from "@belay/task-state/promise"

/** A history that cannot be read or written; `reason` says why, `path` where. */
export const HistoryError: abstract new (...given: never) => Error & {
  readonly _tag: "HistoryError"
  readonly reason: string
  readonly path: string
  readonly detail: string
} = Failure

/** Says which history is opened, and how. */
export interface HistoryOptions extends Abortable {
  /** The data folder. */
  readonly directory: string
  /** Reads only, and creates nothing. */
  readonly readOnly?: boolean
  /** What this program is, such as `bot`; `program` by default. */
  readonly kind?: string
}

/** Opens a history. Rejects with `HistoryError`. */
export const openHistory = async (options: HistoryOptions): Promise<History> => {
  const { directory, kind = "program", readOnly = false, signal } = options
  const layer = readOnly
    ? layerReader({ directory })
    : layerSqlite({ directory }).pipe(Layer.provide(Layer.merge(TaskStateMachine.layer, Reconciler.layer)))
  const runtime = ManagedRuntime.make(layer.pipe(Layer.provide(Ownership.layerFile({ directory, kind }))))
  const run = runIn(runtime)
  try {
    const history = await run(TaskHistory.use(Effect.succeed), { signal })
    return historyOf(history, run, () => runtime.dispose())
  } catch (cause) {
    await runtime.dispose()
    throw cause
  }
}
