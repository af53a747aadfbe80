/** `belay task compare`: what has changed in the workspace since a message of a task. */
import { Words } from "@belay/interaction"
import * as Restoring from "@belay/task-engine/unstable/restoring"
import * as Effect from "effect/Effect"
import { type Parsed, text } from "../../cli/Arguments.ts"
import * as Change from "../../tasks/Change.ts"
import { type ExitCode, type Failure, fromError } from "../../cli/Failure.ts"
import * as Appearance from "../../output/Appearance.ts"
import * as DiffText from "../../output/DiffText.ts"
import type { Sink } from "../../output/Sink.ts"
import * as CheckpointArgs from "../../tasks/CheckpointArgs.ts"
import * as OwnCheckpoints from "../../tasks/OwnCheckpoints.ts"
import { reading } from "../../tasks/Reading.ts"

/** A pipe gets it as it is. */
const shown = (look: Appearance.Appearance, patch: string): string =>
  look.color
    ? DiffText.lines(patch)
        .map((line) => `${DiffText.coloured(look, line)}\n`)
        .join("")
    : Words.printableLines(patch)

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  reading(
    Effect.gen(function* () {
      const task = yield* Change.target(parsed)
      const to = yield* CheckpointArgs.message(parsed, task)
      const { changes, checkpoint, patch } = yield* OwnCheckpoints.provided(Restoring.compare(task.row, to)).pipe(
        Effect.catchTag("NotRestored", (error) => Effect.fail(CheckpointArgs.failed(task, String(to))(error))),
        Effect.mapError(fromError)
      )
      if (text(parsed, "output") === "json") {
        const files = changes.map(({ from, path, to: now }) => ({
          path,
          from: from?.kind ?? null,
          to: now?.kind ?? null
        }))
        sink.data(`${JSON.stringify({ taskId: task.id, to, checkpoint: checkpoint ?? null, changes: files, patch })}\n`)
      } else if (patch === "") sink.out(`Nothing has changed since message ${to} of ${task.title}.\n`)
      else sink.out(shown(Appearance.of(parsed), patch))
      return 0 as const
    })
  )
