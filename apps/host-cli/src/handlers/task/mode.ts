/** `belay task mode`: switches a task between plan and act mode, wherever it runs; act answers a plan that waits. */
import * as Effect from "effect/Effect"
import { type Parsed, text } from "../../cli/Arguments.ts"
import { type ExitCode, type Failure, usage } from "../../cli/Failure.ts"
import type { Sink } from "../../output/Sink.ts"
import * as MessageCommand from "../../tasks/MessageCommand.ts"

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> => {
  const mode = parsed.args[1]
  if (mode !== "plan" && mode !== "act") {
    return Effect.fail(usage(`the mode cannot be "${mode ?? ""}"`, "Use plan or act."))
  }
  const said = text(parsed, "text")
  return MessageCommand.run(parsed, sink, { kind: "mode", mode, ...(said === undefined ? {} : { text: said }) })
}
