/** `belay version`. */
import * as Effect from "effect/Effect"
import { type Parsed, text } from "../cli/Arguments.ts"
import type { ExitCode, Failure } from "../cli/Failure.ts"
import * as Installation from "../doctor/Installation.ts"
import type { Sink } from "../output/Sink.ts"

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.sync(() => {
    const { version } = Installation
    if (text(parsed, "output") === "json") {
      sink.data(
        `${JSON.stringify({ version, node: process.versions.node, platform: `${process.platform}-${process.arch}` })}\n`
      )
    } else sink.out(`${version}\n`)
    return 0 as const
  })
