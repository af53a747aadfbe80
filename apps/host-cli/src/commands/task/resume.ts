/** `belay task resume`: goes on with a task that stopped, exactly where its history ends. */
import { TaskEngine } from "@belay/task-engine"
import * as Effect from "effect/Effect"
import { type Parsed, text } from "../../Arguments.ts"
import type { ExitCode, Failure } from "../../Failure.ts"
import * as DataFolder from "../../DataFolder.ts"
import * as Home from "../../Home.ts"
import type { Sink } from "../../output/Sink.ts"
import * as RunOptions from "../../RunOptions.ts"
import * as Session from "../../Session.ts"
import * as TaskReference from "../../TaskReference.ts"

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const options = yield* RunOptions.decode(parsed)
    const workspace = yield* Effect.fromResult(Home.workspace(text(parsed, "cwd")))
    const [reference = "", ...words] = parsed.args
    const message = words.join(" ").trim()
    const begin = Effect.gen(function* () {
      const engine = yield* TaskEngine
      const id = yield* TaskReference.resolve(reference, workspace)
      yield* engine.resume(id, {
        ...(message === "" ? {} : { message }),
        ...(options.mode === undefined ? {} : { mode: options.mode }),
        settings: (snapshot) => RunOptions.applied(snapshot, options)
      })
      return id
    })
    return yield* Session.run(DataFolder.directory(), options, begin, sink)
  })
