/** The history for commands that only read: nothing is created or changed, and nothing that runs tasks is loaded. */
import { type HistoryError, layerReader, type TaskHistory } from "@belay/history-store"
import * as DataFolder from "@belay/history-store/data-folder"
import * as Effect from "effect/Effect"
import { type Failure, fromError } from "./Failure.ts"

/** What of the history's services a reading command uses. */
type Reads<A> = Effect.Effect<A, Failure | HistoryError.HistoryError, TaskHistory>

/** Runs a reading command on the history of this machine's user; one that does not exist is empty. */
export const reading = <A>(program: Reads<A>): Effect.Effect<A, Failure> =>
  program.pipe(
    Effect.provide(layerReader({ directory: DataFolder.directory(), kind: "cli" })),
    Effect.mapError(fromError)
  )
