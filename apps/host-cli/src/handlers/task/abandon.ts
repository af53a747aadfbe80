/** `belay task abandon`: a task no longer waits for a subtask, and is told so. The subtask keeps what it has. */
import { Releasing } from "@belay/task-engine/remote"
import { Copy } from "@belay/interaction"
import * as Effect from "effect/Effect"
import { isSet, type Parsed } from "../../cli/Arguments.ts"
import * as Change from "../../tasks/Change.ts"
import { type ExitCode, type Failure, usage } from "../../cli/Failure.ts"
import type { Sink } from "../../output/Sink.ts"
import { reading } from "../../tasks/Reading.ts"
import { released, rowsOf } from "../../tasks/Releasing.ts"
import { isAttended, readLine } from "../../terminal/Terminal.ts"

const confirmed = (parsed: Parsed, sink: Sink, pair: Change.Pair): Effect.Effect<boolean, Failure> =>
  Effect.gen(function* () {
    if (isSet(parsed, "yes")) return true
    const { reference, title } = pair.child
    if (!isAttended()) {
      return yield* usage(
        `nobody is there to confirm that ${title} is abandoned`,
        `Add --yes: belay task abandon ${reference} --yes`
      )
    }
    const question = Copy.subtaskAbandonTitle(pair.child.row.meta.title)
    const detail = Copy.subtaskAbandonDetail(pair.parent.row.meta.title)
    sink.err(`${question}\n${detail}\n  1 Abandon subtask   2 Keep it\n`)
    return /^(?:1|y|yes)$/i.test((yield* readLine(sink, "> ")) ?? "")
  })

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const pair = yield* reading(Change.subtask(parsed))
    const { child, parent } = pair
    const next = `Go on with: belay task resume ${parent.reference}`
    const again = Releasing.isReleased(rowsOf(pair), "abandoned")
    if (!again && !(yield* confirmed(parsed, sink, pair))) {
      return yield* Change.report(parsed, sink, parent.id, `Kept ${child.title}. ${next}`)
    }
    // Whoever abandoned it may have died before the subtask was stopped.
    const by = yield* Change.changing(released(pair, Releasing.abandon(rowsOf(pair))))
    const onwards = by === "there" ? `${parent.title} goes on and is told.` : `${parent.title} is told. ${next}`
    return yield* Change.report(parsed, sink, parent.id, `Abandoned ${child.title}. ${onwards}`)
  })
