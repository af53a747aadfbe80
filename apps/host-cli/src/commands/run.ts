/** `belay run`: one task from a prompt to its end. */
import * as DataFolder from "@belay/history-store/data-folder"
import { TaskEngine } from "@belay/task-engine"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { isatty } from "node:tty"
import * as Alone from "../Alone.ts"
import { type Parsed, text } from "../Arguments.ts"
import { type ExitCode, type Failure, usage } from "../Failure.ts"
import * as Home from "../Home.ts"
import type { Sink } from "../output/Sink.ts"
import * as RunOptions from "../RunOptions.ts"
import * as Session from "../Session.ts"
import * as Slash from "../Slash.ts"
import * as Project from "../settings/Project.ts"
import * as Snapshot from "../settings/Snapshot.ts"
import * as User from "../settings/User.ts"
import * as Terminal from "../Terminal.ts"

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
    if (yield* Slash.asArgument(prompt, workspace, parsed, sink)) return 0
    const user = yield* User.load
    const ask = options.input === undefined && Terminal.isAttended() ? Terminal.readLine : undefined
    const asking = ask === undefined ? undefined : (prompt: string) => ask(sink, prompt)
    const base = yield* Snapshot.of(user, yield* Project.load(workspace, asking))
    const begin = Effect.flatMap(TaskEngine, (engine) =>
      engine.create({
        prompt,
        mode: options.mode ?? "act",
        workspace,
        settings: Alone.bounded(RunOptions.applied(base, options), options, sink),
        host: "cli"
      })
    )
    return yield* Session.run(DataFolder.directory(), options, begin, sink)
  })
