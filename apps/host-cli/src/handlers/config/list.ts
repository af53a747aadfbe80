/** `belay config list`: the user's settings, or the names of all there are. */
import * as Effect from "effect/Effect"
import { isSet, type Parsed, text } from "../../cli/Arguments.ts"
import type { ExitCode, Failure } from "../../cli/Failure.ts"
import type { Sink } from "../../output/Sink.ts"
import * as Names from "../../settings/Names.ts"
import * as User from "../../settings/User.ts"

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const found = yield* User.load
    const lines = Names.leaves(found).map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`)
    const others = isSet(parsed, "all") ? [...Names.names, "models.ID.price"] : []
    if (text(parsed, "output") === "json") sink.data(`${JSON.stringify(found)}\n`)
    else sink.out([...lines, ...others.map((name) => `${name}\n`)].join(""))
    if (lines.length === 0) sink.err(`Nothing is set (${User.file()}).\n`)
    return 0 as const
  })
