/** Worktrees of this folder's repository, as the command line makes and names them. */
import { Worktree } from "@belay/git-runner"
import { type History, TaskHistory } from "@belay/history-store"
import * as DataFolder from "@belay/history-store/data-folder"
import * as Trust from "@belay/settings/trust"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import { type Parsed, text } from "../cli/Arguments.ts"
import { type Failure, fromError, usage } from "../cli/Failure.ts"
import * as Hints from "../cli/Hints.ts"
import type { Sink } from "../output/Sink.ts"

type Fails = Effect.Error<ReturnType<typeof Worktree.add>>

/** A refusal is one line; what git could not do is told as git says it. */
export const failed = (error: Fails): Failure => {
  if (error._tag === "WorktreeError") return usage(error.what, Hints.of(error) ?? error.advice)
  return error._tag === "GitFailed" ? usage(error.detail, "Nothing else was done.") : fromError(error)
}

const plural = (n: number, one: string): string => `${n} ${one}${n === 1 ? "" : "s"}`

/** Where a run works: `folder`, or with `--worktree` a folder of its own. */
export const chosen = (parsed: Parsed, folder: string, prompt: string, sink: Sink): Effect.Effect<string, Failure> =>
  Effect.gen(function* () {
    const given = text(parsed, "worktree")
    if (given === undefined) return folder
    const name = given === "" ? yield* Worktree.free(folder, Worktree.nameOf(prompt)) : given
    const made = yield* Worktree.add(folder, name)
    yield* Trust.copied(DataFolder.directory(), folder, made.workspace)
    const how = made.isNew ? "Works in a worktree of its own" : "Goes on in its worktree"
    sink.err(`${how}: ${made.workspace} (branch ${made.branch}). Merge it: belay worktree merge ${name}\n`)
    if (made.leftOut > 0)
      sink.err(`It does not have your changes to ${plural(made.leftOut, "file")} that are not committed.\n`)
    return made.workspace
  }).pipe(Effect.mapError(failed))

/** The newest tasks that work there. */
export const tasksIn = ({ folder }: Worktree.Worktree) =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.list({ limit: 200, rootsOnly: true })),
    ({ rows }): ReadonlyArray<History.TaskRow> =>
      rows.filter(({ meta }) => meta.workspace === folder || meta.workspace.startsWith(folder + path.sep))
  )
