/** `belay worktree merge`: the work of a worktree comes into the branch of the main folder, whole or not at all. */
import { Worktree } from "@belay/git-runner"
import * as Effect from "effect/Effect"
import { type Parsed, text } from "../../cli/Arguments.ts"
import { type ExitCode, type Failure, usage } from "../../cli/Failure.ts"
import * as Home from "../../settings/Home.ts"
import type { Sink } from "../../output/Sink.ts"
import { reading } from "../../tasks/Reading.ts"
import * as Worktrees from "../../session/Worktrees.ts"

/** The task that works there, whose title is what a commit is called. */
const newest = (folder: string, name: string) =>
  Effect.gen(function* () {
    const all = yield* Effect.mapError(Worktree.list(folder), Worktrees.failed)
    const one = all.find((worktree) => worktree.name === name)
    if (one === undefined) return undefined
    const tasks = yield* reading(Worktrees.tasksIn(one))
    const busy = tasks.find(({ lease }) => lease?.alive === true)
    if (busy !== undefined) {
      return yield* usage(
        `"${busy.meta.title}" works in "${name}"`,
        `Stop it first: belay task interrupt ${busy.record.id}`
      )
    }
    return tasks[0]
  })

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const folder = yield* Effect.fromResult(Home.workspace(text(parsed, "cwd")))
    const [name = ""] = parsed.args
    const task = yield* newest(folder, name)
    const done = yield* Effect.mapError(Worktree.merge(folder, name, task?.meta.title ?? name), Worktrees.failed)
    if (text(parsed, "output") === "json") sink.data(`${JSON.stringify({ name, ...done })}\n`)
    else if (done.commits === 0) sink.out(`"${name}" has nothing that ${done.into} does not have.\n`)
    else {
      const commits = `${done.commits} commit${done.commits === 1 ? "" : "s"}`
      const first =
        done.committed === 0 ? "" : `, with ${done.committed} file${done.committed === 1 ? "" : "s"} committed for it`
      sink.out(`Merged "${name}" into ${done.into}: ${commits}${first}. Remove it: belay worktree remove ${name}\n`)
    }
    return 0 as const
  })
