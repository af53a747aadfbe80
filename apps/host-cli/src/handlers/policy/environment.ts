/** `belay policy explain --env`: which variables of this environment commands see, and why others are kept; no values. */
import { variablesOf } from "@belay/settings/file"
import { Words } from "@belay/interaction"
import { CommandEnvironment } from "@belay/tool-executor/workspace"
import * as Effect from "effect/Effect"
import { type Parsed, text } from "../../cli/Arguments.ts"
import type { Failure } from "../../cli/Failure.ts"
import * as Home from "../../settings/Home.ts"
import * as Appearance from "../../output/Appearance.ts"
import type { Sink } from "../../output/Sink.ts"
import * as Table from "../../output/Table.ts"
import * as User from "../../settings/User.ts"

const columns = [{ title: "NAME", shrinksTo: 20 }, { title: "PASSED" }, { title: "WHY", shrinksTo: 20 }]

const words = { always: "yes", unconfined: "outside the sandbox", never: "no" } as const

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<void, Failure> =>
  Effect.gen(function* () {
    const workspace = yield* Effect.fromResult(Home.workspace(text(parsed, "cwd")))
    const rules = variablesOf(yield* User.load)
    const rows = Object.entries(process.env)
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, value = ""]) => {
        const { passes, why } = CommandEnvironment.verdict(name, value, workspace, { rules })
        return { name, passes: words[passes], why }
      })
    if (text(parsed, "output") === "json") return sink.data(`${JSON.stringify({ variables: rows })}\n`)
    const cells = rows.map(({ name, passes, why }) =>
      [name, passes, why].map((cell) => ({ text: Words.printable(cell) }))
    )
    const lines = Table.render(columns, cells, [], Appearance.of(parsed))
    sink.out(lines.map((line) => `${line}\n`).join(""))
    sink.out("Change it for yourself with env.pass and env.block: belay config set env.pass '[\"NAME\"]'\n")
  })
