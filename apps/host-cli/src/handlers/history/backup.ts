/** `belay history backup`: the whole history as one new file, while others go on with it. */
import { Backup } from "@belay/history-store"
import * as DataFolder from "@belay/history-store/data-folder"
import { Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import { type Parsed, text } from "../../cli/Arguments.ts"
import { type ExitCode, type Failure, fromError } from "../../cli/Failure.ts"
import type { Sink } from "../../output/Sink.ts"

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const [file = ""] = parsed.args
    const made = yield* Effect.mapError(Backup.run(DataFolder.directory(), file), fromError)
    if (text(parsed, "output") === "json") {
      sink.data(`${JSON.stringify(made)}\n`)
      return 0 as const
    }
    const tasks = `${made.tasks} ${made.tasks === 1 ? "task" : "tasks"}`
    const size = `${(made.bytes / 1e6).toFixed(1)} MB`
    sink.out(`${Words.printable(`Backed up ${tasks} to ${made.path} (${size}).`)}\n`)
    return 0 as const
  })
