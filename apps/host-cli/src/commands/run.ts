/** `belay run`: one task from a prompt to its end. */
import { Approvals } from "@belay/approval-policy"
import { Settings, TaskEngine } from "@belay/task-engine"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { isatty } from "node:tty"
import { type Parsed, text } from "../Arguments.ts"
import { type ExitCode, type Failure, usage } from "../Failure.ts"
import * as DataFolder from "../DataFolder.ts"
import * as Home from "../Home.ts"
import type { Sink } from "../output/Sink.ts"
import * as RunOptions from "../RunOptions.ts"
import * as Session from "../Session.ts"

/** The arguments, or what stdin holds when it is no terminal and nothing else comes there. */
const promptOf = (args: ReadonlyArray<string>, mayRead: boolean): Effect.Effect<string, Failure> =>
  Effect.suspend(() => {
    const given = args.join(" ").trim()
    if (given !== "") return Effect.succeed(given)
    const piped = !mayRead || isatty(0) ? "" : readFileSync(0, "utf8").trim()
    return piped === ""
      ? Effect.fail(
          usage("there is no prompt", 'Give it as an argument, such as belay run "fix the tests", or on stdin.')
        )
      : Effect.succeed(piped)
  })

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const options = yield* RunOptions.decode(parsed)
    const workspace = yield* Effect.fromResult(Home.workspace(text(parsed, "cwd")))
    const prompt = yield* promptOf(parsed.args, options.input === undefined)
    const model = process.env["BELAY_MODEL"]
    const base = Settings.defaults(Approvals.ask, model === undefined || model === "" ? undefined : model)
    const begin = Effect.flatMap(TaskEngine, (engine) =>
      engine.create({
        prompt,
        mode: options.mode ?? "act",
        workspace,
        settings: RunOptions.applied(base, options),
        host: "cli"
      })
    )
    return yield* Session.run(DataFolder.directory(), options, begin, sink)
  })
