/** `belay task continue`: goes on after the end of a completed task, in a new one that stands on its conversation. */
import * as Effect from "effect/Effect"
import type { Parsed } from "../../cli/Arguments.ts"
import type { ExitCode, Failure } from "../../cli/Failure.ts"
import type { Sink } from "../../output/Sink.ts"
import * as Fork from "../../session/Fork.ts"
import * as Stdin from "../../terminal/Stdin.ts"

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Fork.run(parsed, sink, () => Effect.map(Stdin.message(parsed.args.slice(1), sink), (text) => ({ text })))
