/** `belay config set`: one of the user's settings, written only when the whole file is then valid. */
import { decode, refusal } from "@belay/settings/file"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Parsed } from "../../cli/Arguments.ts"
import type { ExitCode, Failure } from "../../cli/Failure.ts"
import type { Sink } from "../../output/Sink.ts"
import * as Names from "../../settings/Names.ts"
import * as SettingsFile from "../../settings/SettingsFile.ts"
import * as User from "../../settings/User.ts"

/** What a word can stand for: JSON, else the text itself. */
const readings = (word: string): ReadonlyArray<unknown> => {
  try {
    return [JSON.parse(word), word]
  } catch {
    return [word]
  }
}

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const [name = "", word = ""] = parsed.args
    const way = yield* Names.wayTo(name)
    const file = User.file()
    const before = (yield* SettingsFile.read(file)) ?? {}
    const tried = yield* Effect.forEach(readings(word), (value) => {
      const after = Names.put(before, way, value ?? undefined) ?? {}
      return Effect.map(Effect.result(decode(after)), (found) => ({ after, value, found }))
    })
    const [first] = tried
    const good = tried.find(({ found }) => Result.isSuccess(found)) ?? first
    if (good === undefined || Result.isFailure(good.found)) {
      return yield* good === undefined || Result.isSuccess(good.found)
        ? Effect.die("a word has a reading")
        : SettingsFile.failure(refusal(file, good.found.failure))
    }
    yield* SettingsFile.write(file, good.after)
    const said = good.value === null ? "is not set any more" : `is ${JSON.stringify(good.value)}`
    const from = /^(?:keys|terminal|notify)\./u.test(name)
      ? "A conversation that begins from now on has it."
      : "Tasks that begin from now on have it."
    sink.out(`${name} ${said}. ${from}\n`)
    return 0 as const
  })
