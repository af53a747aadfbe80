/** `belay config get`: one of the user's settings, as it is written. */
import * as Effect from "effect/Effect"
import { type Parsed, text } from "../../cli/Arguments.ts"
import { type ExitCode, type Failure, usage } from "../../cli/Failure.ts"
import type { Sink } from "../../output/Sink.ts"
import * as Names from "../../settings/Names.ts"
import * as User from "../../settings/User.ts"

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const [name = ""] = parsed.args
    const value = Names.get(yield* User.load, yield* Names.wayTo(name))
    if (text(parsed, "output") === "json") sink.data(`${JSON.stringify(value ?? null)}\n`)
    else if (value === undefined) return yield* usage(`${name} is not set`, `Set it: belay config set ${name} VALUE`)
    else sink.out(`${typeof value === "string" ? value : JSON.stringify(value)}\n`)
    return 0 as const
  })
