/** `belay run`: one task from a prompt to its end. */
import * as DataFolder from "@belay/history-store/data-folder"
import { TaskEngine } from "@belay/task-engine"
import * as Effect from "effect/Effect"
import * as Alone from "../session/Alone.ts"
import { type Parsed, text } from "../cli/Arguments.ts"
import * as Detached from "../session/Detached.ts"
import type { ExitCode, Failure } from "../cli/Failure.ts"
import * as Home from "../settings/Home.ts"
import type { Sink } from "../output/Sink.ts"
import * as ContinueRun from "./ContinueRun.ts"
import * as RunOptions from "../session/RunOptions.ts"
import * as Session from "../session/Session.ts"
import * as Slash from "../terminal/Slash.ts"
import * as Project from "../settings/Project.ts"
import * as Snapshot from "../settings/Snapshot.ts"
import * as User from "../settings/User.ts"
import * as Stdin from "../terminal/Stdin.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Worktrees from "../session/Worktrees.ts"
import * as TestedModels from "../session/TestedModels.ts"

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const detached = yield* Detached.run(parsed, sink)
    if (detached !== undefined) return detached
    const onward = yield* ContinueRun.run(parsed, sink)
    if (onward !== undefined) return onward
    const options = yield* RunOptions.decode(parsed)
    const folder = yield* Effect.fromResult(Home.workspace(text(parsed, "cwd")))
    const { attached, text: prompt } = yield* Stdin.prompt(parsed.args, options.input === undefined, sink)
    if (yield* Slash.asArgument(prompt, folder, parsed, sink)) return 0
    const user = yield* User.load
    const ask = options.input === undefined && Terminal.isAttended() ? Terminal.readLine : undefined
    const asking = ask === undefined ? undefined : (prompt: string) => ask(sink, prompt)
    const project = yield* Project.load(folder, asking)
    const workspace = yield* Worktrees.chosen(parsed, folder, prompt, sink)
    const base = yield* Snapshot.of(user, project)
    const mode = options.mode ?? "act"
    const wanted = RunOptions.applied(base, options)
    const isBounded = Alone.isBounded(wanted, options)
    const chosen = isBounded ? { ...wanted, maxRequests: Alone.requests } : wanted
    yield* RunOptions.priced(chosen, mode)
    const settings = yield* TestedModels.applied(chosen, user.model, mode, sink)
    const begin = Effect.gen(function* () {
      const engine = yield* TaskEngine
      const given = yield* attached
      const id = yield* engine.create({
        prompt,
        ...(given.length === 0 ? {} : { attached: given }),
        mode,
        workspace,
        settings,
        host: "cli"
      })
      if (isBounded) sink.err(Alone.said(""))
      return id
    })
    return yield* Session.run(DataFolder.directory(), { ...options, workspace }, begin, sink)
  })
