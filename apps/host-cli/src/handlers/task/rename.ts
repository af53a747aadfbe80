/** `belay task rename`: another title; nothing else of the task changes, and its process goes on. */
import { TaskHistory } from "@belay/history-store"
import { Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import type { Parsed } from "../../cli/Arguments.ts"
import * as Change from "../../tasks/Change.ts"
import { type ExitCode, type Failure, usage } from "../../cli/Failure.ts"
import type { Sink } from "../../output/Sink.ts"
import { reading } from "../../tasks/Reading.ts"

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const found = yield* reading(Change.target(parsed))
    const title = Words.title(parsed.args.slice(1).join(" "))
    if (title === undefined) {
      return yield* usage(`${found.title} keeps its title`, "Give one with a character that can be seen.")
    }
    const step = { _tag: "Rename", taskId: found.id, title } as const
    yield* Change.changing(Effect.flatMap(TaskHistory, (history) => history.commit([step])))
    return yield* Change.report(parsed, sink, found.id, `${found.title} is called "${Words.printable(title)}" now.`)
  })
