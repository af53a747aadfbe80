/** `belay debug failpoints`: the names that `BELAY_FAILPOINT` takes, one a line. */
import { Failpoint } from "@belay/task-state/unstable"
import * as Effect from "effect/Effect"
import type { Parsed } from "../../cli/Arguments.ts"
import type { ExitCode } from "../../cli/Failure.ts"
import type { Sink } from "../../output/Sink.ts"

export const run = (_parsed: Parsed, sink: Sink): Effect.Effect<ExitCode> =>
  Effect.sync(() => {
    sink.out(`${Failpoint.names.join("\n")}\n`)
    return 0
  })
