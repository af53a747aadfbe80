/** `belay allowed remove`: takes one thing back that the person allowed always; it asks again from then on. */
import { Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as Allowed from "../../settings/Allowed.ts"
import { isSet, type Parsed } from "../../cli/Arguments.ts"
import { type ExitCode, type Failure, usage } from "../../cli/Failure.ts"
import type { Sink } from "../../output/Sink.ts"
import { failure } from "../../settings/SettingsFile.ts"

const isNamed = ({ entry, n, text }: Allowed.Row, given: string): boolean =>
  String(n) === given || text === given || Allowed.namesOf(entry.rule).includes(given)

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const [given = ""] = parsed.args
    const { rows } = yield* Allowed.rows(parsed)
    const [first, second] = rows.filter((row) => isNamed(row, given))
    const list = `belay allowed${isSet(parsed, "all") ? " --all" : ""}`
    if (first === undefined) return yield* usage(`"${given}" is not allowed always here`, `See: ${list}`)
    if (second !== undefined) return yield* usage(`"${given}" names more than one`, `Give its number: ${list}`)
    const { folder, rule } = first.entry
    yield* Effect.mapError(Allowed.store().remove(folder, rule), failure)
    sink.out(`Not allowed any more in ${Words.printable(folder)}: ${Words.printable(first.text)}\n`)
    return 0 as const
  })
