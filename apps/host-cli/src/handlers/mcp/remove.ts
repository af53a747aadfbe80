/** `belay mcp remove`: takes a server out of the user's file. */
import * as Effect from "effect/Effect"
import type { Parsed } from "../../cli/Arguments.ts"
import { type ExitCode, type Failure, usage } from "../../cli/Failure.ts"
import * as Mcp from "../../settings/Mcp.ts"
import type { Sink } from "../../output/Sink.ts"

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const [name = ""] = parsed.args
    yield* Mcp.change((servers) =>
      Object.hasOwn(servers, name)
        ? Effect.succeed(Object.fromEntries(Object.entries(servers).filter(([other]) => other !== name)))
        : Effect.fail(usage(`there is no server "${name}" in your file (${Mcp.file()})`, "See: belay mcp list"))
    )
    sink.out(`Removed ${name}.\n`)
    return 0 as const
  })
