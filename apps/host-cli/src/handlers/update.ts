/** `belay update`: how it was installed, and what to type. It changes nothing and asks no registry. */
import * as Effect from "effect/Effect"
import { type Parsed, text } from "../cli/Arguments.ts"
import type { ExitCode, Failure } from "../cli/Failure.ts"
import * as Installation from "../doctor/Installation.ts"
import type { Sink } from "../output/Sink.ts"

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.sync(() => {
    const { version } = Installation
    const found = Installation.here()
    if (text(parsed, "output") === "json") sink.data(`${JSON.stringify({ version, ...found })}\n`)
    else
      sink.out(`Belay ${version} was installed ${found.how} (${found.folder}). Update it with:\n\n  ${found.command}\n`)
    return 0 as const
  })
