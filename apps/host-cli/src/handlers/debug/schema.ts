/** `belay debug schema`: the JSON Schema of what `--output json`, `stream-json` and `claude-stream-json` print in this version. */
import * as Effect from "effect/Effect"
import type { Parsed } from "../../cli/Arguments.ts"
import { type ExitCode, type Failure, usage } from "../../cli/Failure.ts"
import { documents } from "../../result/EventSchema.ts"
import type { Sink } from "../../output/Sink.ts"

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.suspend(() => {
    const [name = ""] = parsed.args
    if (name !== "event" && name !== "result" && name !== "claude" && name !== "rescue") {
      return Effect.fail(usage(`there is no schema "${name}"`, `Use one of ${Object.keys(documents).join(", ")}.`))
    }
    sink.data(`${JSON.stringify(documents[name](), undefined, 2)}\n`)
    return Effect.succeed(0 as const)
  })
