/** `belay task redelegate`: starts a stopped subtask over, with the same instructions or others. */
import { TaskHistory } from "@belay/history-store"
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import type { Parsed } from "../../Arguments.ts"
import * as Change from "../../Change.ts"
import { type ExitCode, type Failure, usage } from "../../Failure.ts"
import type { Sink } from "../../output/Sink.ts"
import { reading } from "../../Reading.ts"
import * as TaskReference from "../../TaskReference.ts"

type Pair = Effect.Success<ReturnType<typeof Change.subtask>>

const startOver = ({ child, parent }: Pair, message: string) =>
  Change.changing(
    Effect.gen(function* () {
      const history = yield* TaskHistory
      const [prompt] = yield* history.messages(child.id)
      if (prompt === undefined) {
        return yield* usage(`${child.title} has no instructions`, `See it with: belay task show ${child.reference}`)
      }
      const { StartOver } = yield* Effect.promise(() => import("@belay/task-engine"))
      const to = yield* TaskId.make
      const facts = { parent: parent.id, child: child.row, prompt, to }
      yield* history.commit(StartOver.steps(facts, message === "" ? undefined : message))
      return yield* TaskReference.short(to)
    })
  )

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const pair = yield* reading(Change.subtask(parsed))
    const { child, parent } = pair
    yield* Change.unowned(parent)
    yield* Change.unowned(child)
    const reference = yield* startOver(pair, parsed.args.slice(1).join(" ").trim())
    const line = `Started ${child.title} over as ${reference}. ${parent.title} waits for the new one.`
    return yield* Change.report(parsed, sink, parent.id, `${line} Go on with: belay task resume ${parent.reference}`)
  })
