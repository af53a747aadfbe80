/** `belay allowed everywhere`: an exact command of the user's settings holds in every folder, as they meant it. */
import { Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as Allowed from "../../settings/Allowed.ts"
import type { Parsed } from "../../cli/Arguments.ts"
import { type ExitCode, type Failure, usage } from "../../cli/Failure.ts"
import type { Sink } from "../../output/Sink.ts"
import { failure } from "../../settings/SettingsFile.ts"

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const [given = ""] = parsed.args
    const known = yield* Allowed.earlier
    if (!known.some(({ command }) => command === given)) {
      return yield* usage(`your settings have no exact entry for "${given}"`, "See: belay allowed")
    }
    yield* Effect.mapError(Allowed.store().confirm(given), failure)
    sink.out(`It holds in every folder: ${Words.printable(given)}\n`)
    return 0 as const
  })
