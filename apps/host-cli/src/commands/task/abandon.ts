/** `belay task abandon`: a task no longer waits for a subtask, and is told so. The subtask keeps what it has. */
import { TaskHistory } from "@belay/history-store"
import { TaskRecord } from "@belay/task-state"
import * as Effect from "effect/Effect"
import { isSet, type Parsed } from "../../Arguments.ts"
import * as Change from "../../Change.ts"
import { type ExitCode, type Failure, usage } from "../../Failure.ts"
import { interrupt } from "../../Interruption.ts"
import type { Sink } from "../../output/Sink.ts"
import { reading } from "../../Reading.ts"
import { isAttended, readLine } from "../../Terminal.ts"

type Pair = Effect.Success<ReturnType<typeof Change.subtask>>

const told = ({ parent }: Pair): string =>
  `${parent.title} goes on and is told that this subtask was abandoned. Files it has already changed stay changed. ` +
  "You can still read it, but it will not report back."

const confirmed = (parsed: Parsed, sink: Sink, pair: Pair): Effect.Effect<boolean, Failure> =>
  Effect.gen(function* () {
    if (isSet(parsed, "yes")) return true
    const { reference, title } = pair.child
    if (!isAttended()) {
      return yield* usage(
        `nobody is there to confirm that ${title} is abandoned`,
        `Add --yes: belay task abandon ${reference} --yes`
      )
    }
    sink.err(`Abandon ${title}?\n${told(pair)}\n  1 Abandon subtask   2 Keep it\n`)
    return (yield* readLine(sink, "> ")) === "1"
  })

const alreadyAbandoned = ({ child, parent }: Pair): boolean =>
  TaskRecord.collectedEntry(parent.row.record, child.id)?.outcome === "abandoned"

/** The link is cut in one commit; then what is left of the subtask is stopped. */
const abandon = ({ child, parent }: Pair) =>
  Change.changing(
    Effect.gen(function* () {
      const request = { _tag: "Abandon", taskId: parent.id, child: child.id } as const
      yield* (yield* TaskHistory).commit([{ _tag: "Lifecycle", request }])
      yield* interrupt(child.id)
    })
  )

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const pair = yield* reading(Change.subtask(parsed))
    const { child, parent } = pair
    const next = `Go on with: belay task resume ${parent.reference}`
    if (!alreadyAbandoned(pair)) {
      yield* Change.unowned(parent)
      if (!(yield* confirmed(parsed, sink, pair))) {
        return yield* Change.report(parsed, sink, parent.id, `Kept ${child.title}. ${next}`)
      }
      yield* abandon(pair)
    }
    return yield* Change.report(parsed, sink, parent.id, `Abandoned ${child.title}. ${parent.title} is told. ${next}`)
  })
