/** `belay hooks list`: the hooks that a task would have that begins in this folder, in their order; none is run. */
import { Words } from "@belay/interaction"
import { hooksOf } from "@belay/settings/file"
import * as Effect from "effect/Effect"
import { type Parsed, text } from "../../cli/Arguments.ts"
import type { ExitCode, Failure } from "../../cli/Failure.ts"
import * as Home from "../../settings/Home.ts"
import * as Project from "../../settings/Project.ts"
import * as Trusting from "../../settings/Trusting.ts"
import * as User from "../../settings/User.ts"
import * as Appearance from "../../output/Appearance.ts"
import type { Sink } from "../../output/Sink.ts"
import * as Table from "../../output/Table.ts"

const columns = [
  { title: "EVENT" },
  { title: "MATCHER" },
  { title: "COMMAND", shrinksTo: 30 },
  { title: "FROM" },
  { title: "WITHOUT AN ANSWER" }
]

const example = '[{"matcher":"Bash","hooks":[{"type":"command","command":"~/bin/guard.sh"}]}]'

/** What it means that a hook has no answer. */
const without = { ask: "asks", block: "denies", allow: "passes" } as const

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const workspace = yield* Effect.fromResult(Home.workspace(text(parsed, "cwd")))
    const hooks = hooksOf(yield* User.load, yield* Project.load(workspace, undefined))
    yield* Trusting.advise(workspace, sink)
    if (text(parsed, "output") === "json") {
      sink.data(`${JSON.stringify({ hooks })}\n`)
      return 0 as const
    }
    const rows = hooks.map(({ command, event, matcher = "*", onFailure, source }) =>
      [event, matcher, command, source, without[onFailure]].map((cell) => ({ text: Words.printable(cell) }))
    )
    if (rows.length === 0) sink.err(`There are no hooks. Add one: belay config set hooks.PreToolUse '${example}'\n`)
    else
      sink.out(
        Table.render(columns, rows, [], Appearance.of(parsed))
          .map((line) => `${line}\n`)
          .join("")
      )
    return 0 as const
  })
