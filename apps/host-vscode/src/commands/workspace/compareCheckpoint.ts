/** Compare: what has changed since a turn of a task began, every file in one editor. */
import * as Effect from "effect/Effect"
import { command } from "../../vscode/Bridge.ts"
import * as CheckpointDiff from "../../checkpoints/CheckpointDiff.ts"
import * as TurnPicker from "../../checkpoints/TurnPicker.ts"

export const compareCheckpoint = command("belay.compareCheckpoint", (given) =>
  Effect.gen(function* () {
    const question = "Compare the files of which task?"
    const chosen = yield* TurnPicker.choose(given, question, "Compare now with before which turn?")
    yield* CheckpointDiff.show(chosen, chosen.turn.before, "now")
  })
)
