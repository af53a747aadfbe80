/** `belay acp`: the agent is loaded here, and by no other command. */
import * as Effect from "effect/Effect"
import { isSet, type Parsed } from "../cli/Arguments.ts"
import type { ExitCode, Failure } from "../cli/Failure.ts"
import type { Sink } from "../output/Sink.ts"

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> => {
  if (!isSet(parsed, "auth")) {
    return Effect.flatMap(
      Effect.promise(() => import("../acp/Serving.ts")),
      ({ serve }) => serve(sink)
    )
  }
  return Effect.flatMap(
    Effect.promise(() => import("./auth.ts")),
    (auth) => auth.run(parsed, sink)
  )
}
