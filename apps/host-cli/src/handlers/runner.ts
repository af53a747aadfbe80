/** `belay runner`. */
import * as Effect from "effect/Effect"
import type { Parsed } from "../cli/Arguments.ts"
import type { ExitCode, Failure } from "../cli/Failure.ts"
import type { Sink } from "../output/Sink.ts"

export const run = (_parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.flatMap(
    Effect.promise(() => import("../runner/Runner.ts")),
    (runner) => runner.run(sink)
  )
