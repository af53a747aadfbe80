/** `belay task close`: a person ends a task that stopped; the note is its result, which its parent is told. */
import { TaskHistory } from "@belay/history-store"
import { TaskRecord } from "@belay/task-state"
import * as Effect from "effect/Effect"
import { type Parsed, text } from "../../cli/Arguments.ts"
import * as Change from "../../tasks/Change.ts"
import { type ExitCode, type Failure, usage } from "../../cli/Failure.ts"
import type { Sink } from "../../output/Sink.ts"
import { reading } from "../../tasks/Reading.ts"

const outcomeOf = (parsed: Parsed): TaskRecord.Outcome => (text(parsed, "outcome") ?? "cancelled") as TaskRecord.Outcome

/** What to type after it: the parent that waits goes on, else the task itself can be continued. */
const next = ({ reference, row }: Change.Named) =>
  Effect.gen(function* () {
    const { parentId } = row.record.lineage
    const parent = parentId === undefined ? undefined : yield* Change.named(parentId)
    return parent !== undefined && TaskRecord.awaitedEntry(parent.row.record, row.record.id) !== undefined
      ? `${parent.title} is told when it goes on: belay task resume ${parent.reference}`
      : `Go on from it with: belay task continue ${reference} "..."`
  })

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const { found, onwards } = yield* reading(
      Effect.gen(function* () {
        const task = yield* Change.target(parsed)
        return { found: task, onwards: yield* next(task) }
      })
    )
    const { id, row, title } = found
    yield* Change.unowned(found)
    if (row.record.status === "completed") {
      return yield* usage(`${title} is completed already`, onwards)
    }
    const outcome = outcomeOf(parsed)
    const note = parsed.args.slice(1).join(" ").trim()
    const request = { _tag: "Close", taskId: id, outcome, note } as const
    const commit = Effect.flatMap(TaskHistory, (history) => history.commit([{ _tag: "Lifecycle", request }]))
    yield* Change.changing(Change.orStopFirst(found, commit))
    return yield* Change.report(parsed, sink, id, `Closed ${title} as ${outcome}. ${onwards}`)
  })
