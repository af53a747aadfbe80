/** `belay task send`: says something to a task, wherever it runs; it reads it at its next turn boundary. */
import * as Effect from "effect/Effect"
import type { Parsed } from "../../cli/Arguments.ts"
import { type ExitCode, type Failure, usage } from "../../cli/Failure.ts"
import type { Sink } from "../../output/Sink.ts"
import * as MessageCommand from "../../tasks/MessageCommand.ts"
import * as Stdin from "../../terminal/Stdin.ts"

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const said = yield* Stdin.message(parsed.args.slice(1), sink)
    if (said === "") return yield* usage("there is nothing to say", "Give the text as an argument.")
    return yield* MessageCommand.run(parsed, sink, { kind: "message", text: said })
  })
