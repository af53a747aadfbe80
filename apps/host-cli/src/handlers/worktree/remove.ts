/** `belay worktree remove`: folder and branch of a worktree go; what is not merged stays unless it is to be lost. */
import { Worktree } from "@belay/git-runner"
import * as Effect from "effect/Effect"
import { isSet, type Parsed, text } from "../../cli/Arguments.ts"
import { type ExitCode, type Failure, usage } from "../../cli/Failure.ts"
import * as Home from "../../settings/Home.ts"
import type { Sink } from "../../output/Sink.ts"
import { reading } from "../../tasks/Reading.ts"
import * as Worktrees from "../../session/Worktrees.ts"

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const folder = yield* Effect.fromResult(Home.workspace(text(parsed, "cwd")))
    const [name = ""] = parsed.args
    const all = yield* Effect.mapError(Worktree.list(folder), Worktrees.failed)
    const one = all.find((worktree) => worktree.name === name)
    const tasks = one === undefined ? [] : yield* reading(Worktrees.tasksIn(one))
    const busy = tasks.find(({ lease }) => lease?.alive === true)
    if (busy !== undefined) {
      return yield* usage(
        `"${busy.meta.title}" works in "${name}"`,
        `Stop it first: belay task interrupt ${busy.record.id}`
      )
    }
    const removed = yield* Effect.mapError(Worktree.remove(folder, name, isSet(parsed, "force")), Worktrees.failed)
    if (text(parsed, "output") === "json") sink.data(`${JSON.stringify(removed)}\n`)
    else sink.out(`Removed ${removed.folder} and the branch ${removed.branch}.\n`)
    return 0 as const
  })
