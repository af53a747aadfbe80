/** A worktree for a task of its own: made from what is committed, named by the words of the message. */
import { Worktree } from "@belay/git-runner"
import { Words } from "@belay/task-engine/protocol"
import * as Trust from "@belay/task-engine/trust"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import * as Home from "../activation/Home.ts"
import { Refusal } from "../vscode/Bridge.ts"

type Fails = Effect.Error<ReturnType<typeof Worktree.add>>

const refused = (error: Fails): Refusal =>
  new Refusal({ line: error._tag === "GitFailed" ? `${error.detail}. Nothing else was done.` : error.message })

/** Where the task works. What is left to do with it, and what is not in it, is told. */
export const make = (folder: string, prompt: string): Effect.Effect<string, Refusal> =>
  Effect.gen(function* () {
    const name = yield* Worktree.free(folder, Worktree.nameOf(prompt))
    const made = yield* Worktree.add(folder, name)
    yield* Trust.copied(Home.directory(), folder, made.workspace)
    const files = made.leftOut === 1 ? "1 file" : `${made.leftOut} files`
    const leftOut = made.leftOut === 0 ? "" : ` Not in it: ${files} with changes that are not committed.`
    const line = `Works in a worktree of its own: ${Words.printable(made.workspace)} (branch ${made.branch}). Merge it: belay worktree merge ${name}.${leftOut}`
    void vscode.window.showInformationMessage(line)
    return made.workspace
  }).pipe(Effect.mapError(refused))
