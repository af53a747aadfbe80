/** `belay task undelete`: a deletion is taken back with all that it took, within 30 days. */
import { Deleting } from "@belay/task-engine/remote"
import { Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import type { Parsed } from "../../cli/Arguments.ts"
import * as Change from "../../tasks/Change.ts"
import * as DeletedReference from "../../tasks/DeletedReference.ts"
import { type ExitCode, type Failure, usage } from "../../cli/Failure.ts"
import type { Sink } from "../../output/Sink.ts"
import { reading } from "../../tasks/Reading.ts"

const see = "See: belay task list --deleted"

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const found = yield* reading(DeletedReference.resolve(parsed.args[0] ?? ""))
    const title = DeletedReference.titled(found)
    const taken = Effect.catchTag(Deleting.undelete(found.id), "TransitionRejected", () =>
      Effect.fail(usage(`${title} was deleted for good meanwhile`, see))
    )
    if (!(yield* Change.changing(taken))) return yield* usage(`${title} is not deleted any more`, see)
    const { row } = yield* reading(Change.named(found.id))
    const ended = row.record.status === "completed"
    const more = found.subtasks === 0 ? "" : ` and ${found.subtasks} subtask${found.subtasks === 1 ? "" : "s"}`
    const next = `${ended ? "See it: belay task show" : "Go on with: belay task resume"} ${Words.shortId(found.id)}`
    return yield* Change.report(parsed, sink, found.id, `Took back ${title}${more}. ${next}`)
  })
