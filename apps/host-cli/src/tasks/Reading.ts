/** The history for commands that only read: nothing is created or changed, and nothing that runs tasks is loaded. */
import { type HistoryError, layerReader, Ownership, TaskHistory } from "@belay/history-store"
import * as DataFolder from "@belay/history-store/data-folder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Failure, fromError } from "../cli/Failure.ts"

/** What of the history's services a reading command uses. */
type Reads<A> = Effect.Effect<A, Failure | HistoryError.HistoryError, TaskHistory>

let said = false

/** Why nothing new is stored, where that is so: once, beside what the command prints. */
const saying = TaskHistory.use(({ notice }) =>
  Effect.sync(() => {
    if (notice === null || said) return
    said = true
    process.stderr.write(`belay: ${notice}\n`)
  })
)

const history = (directory: string) =>
  layerReader({ directory }).pipe(Layer.provide(Ownership.layerFile({ directory, kind: "cli" })))

/** Runs a reading command on the history of this machine's user; one that does not exist is empty. */
export const reading = <A>(program: Reads<A>): Effect.Effect<A, Failure> =>
  Effect.andThen(saying, program).pipe(Effect.provide(history(DataFolder.directory())), Effect.mapError(fromError))
