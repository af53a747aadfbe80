/** The folders of the window and the worktrees beside them: where a new task works, and what becomes of tasks whose folder is taken away. */
import { Worktree } from "@belay/git-runner"
import { TaskStore } from "@belay/interaction/tasks"
import { TaskEngine } from "@belay/task-engine"
import { Words } from "@belay/interaction"
import * as Trust from "@belay/settings/trust"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as vscode from "vscode"
import * as Home from "../activation/Home.ts"
import { chosen, Refusal, scoped } from "../vscode/Bridge.ts"
import * as FilePath from "../vscode/FilePath.ts"

const isFile = ({ uri }: vscode.WorkspaceFolder): boolean => uri.scheme === "file"

const noFolder = (): Refusal => {
  const [first] = vscode.workspace.workspaceFolders ?? []
  const line =
    first === undefined
      ? "There is no folder for the task. Open a folder to start one."
      : `"${Words.printable(first.name)}" has no files on this machine, so commands cannot run there. Open a folder of this machine.`
  const actions = [{ title: "Open folder", command: "vscode.openFolder" }]
  return new Refusal({ line, actions })
}

const roots = (): ReadonlyArray<vscode.WorkspaceFolder> => (vscode.workspace.workspaceFolders ?? []).filter(isFile)

/** The folder of a file, else of the active editor. */
const ownOf = (near: vscode.Uri | undefined): vscode.WorkspaceFolder | undefined => {
  const address = near ?? vscode.window.activeTextEditor?.document.uri
  const own = address && vscode.workspace.getWorkspaceFolder(address)
  return own !== undefined && isFile(own) ? own : undefined
}

/** Where a new task would probably work; nobody is asked. */
export const likely = (): string | undefined => {
  const folder = ownOf(undefined) ?? roots()[0]
  return folder && FilePath.of(folder.uri)
}

/** The folder of a file, else of the active editor, else the only one; of several the person chooses. */
export const home = (near?: vscode.Uri) =>
  Effect.gen(function* () {
    const own = ownOf(near)
    if (own !== undefined) return own
    const [first, second] = roots()
    if (first === undefined) return yield* noFolder()
    if (second === undefined) return first
    const placeHolder = "In which folder does the new task work?"
    const picked = yield* chosen((token) =>
      vscode.window.showQuickPick(
        roots().map((root) => ({ root, label: root.name, description: root.uri.fsPath })),
        // As the box that follows: whoever looks at a file meanwhile has not chosen against the task.
        { placeHolder, ignoreFocusOut: true },
        token
      )
    )
    return picked.root
  })

type Fails = Effect.Error<ReturnType<typeof Worktree.add>>

const refused = (error: Fails): Refusal =>
  new Refusal({ line: error._tag === "GitFailed" ? `${error.detail}. Nothing else was done.` : error.message })

/** A worktree named by the words of the message, made from what is committed. What is left to do with it, and what is not in it, is told. */
export const worktree = (folder: string, prompt: string): Effect.Effect<string, Refusal> =>
  Effect.gen(function* () {
    const name = yield* Worktree.free(folder, Worktree.nameOf(prompt))
    const made = yield* Worktree.add(folder, name)
    yield* Trust.copied(Home.directory(), folder, made.workspace)
    const files = made.leftOut === 1 ? "1 file" : `${made.leftOut} files`
    const leftOut = made.leftOut === 0 ? "" : ` It does not have your changes to ${files} that are not committed.`
    const line = `Works in a worktree of its own: ${Words.printable(made.workspace)} (branch ${made.branch}). Merge it: belay worktree merge ${name}.${leftOut}`
    void vscode.window.showInformationMessage(line)
    return made.workspace
  }).pipe(Effect.mapError(refused))

/** Tasks that run here in a folder that is removed are stopped, and nothing of them is lost. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const engine = yield* TaskEngine
    const board = yield* TaskStore.TaskStore
    const context = yield* Effect.context()
    const stopIn = ({ name, uri }: vscode.WorkspaceFolder) =>
      Effect.gen(function* () {
        const here = [...board.now().entries.values()].filter(({ node }) => engine.running().has(node.row.record.id))
        const lost = here.filter(({ node }) => FilePath.is(uri, node.row.meta.workspace))
        if (lost.length === 0) return
        yield* Effect.forEach(lost, ({ node }) => engine.interrupt(node.row.record.id, "host"), {
          concurrency: "unbounded"
        })
        const what = lost.length === 1 ? "The task was stopped." : `${lost.length} tasks were stopped.`
        const line = `The folder ${Words.printable(name)} was removed from the workspace. ${what}`
        void vscode.window.showWarningMessage(line)
        yield* board.refresh
      })
    yield* scoped(() =>
      vscode.workspace.onDidChangeWorkspaceFolders(({ removed }) => {
        for (const folder of removed) Effect.runForkWith(context)(stopIn(folder))
      })
    )
  })
)
