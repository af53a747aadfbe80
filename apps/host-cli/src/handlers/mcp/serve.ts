/** `belay mcp serve`: the server is loaded here, and by no other command. */
import * as Effect from "effect/Effect"
import type { Parsed } from "../../cli/Arguments.ts"
import type { ExitCode, Failure } from "../../cli/Failure.ts"
import type { Sink } from "../../output/Sink.ts"

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.flatMap(
    Effect.promise(() => import("../../serving/Serving.ts")),
    ({ serve }) => serve(parsed, sink)
  )
