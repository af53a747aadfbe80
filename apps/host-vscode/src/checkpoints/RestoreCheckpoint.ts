/**
 * A task goes back to one of its messages: its files, its conversation, or both, when a person has seen what that changes.
 *
 * What runs is stopped first, texts that are not saved are never written over, and it can be undone.
 */
import { TaskStore, TaskTrees } from "@belay/interaction/tasks"
import { Checkpoints } from "@belay/checkpoints"
import type { History } from "@belay/history-store"
import { TaskNode } from "@belay/task-engine/remote"
import { Words } from "@belay/interaction"
import * as Restoring from "@belay/task-engine/unstable/restoring"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import * as vscode from "vscode"
import { Bridge, chosen, Refusal, tell } from "../vscode/Bridge.ts"
import { stopped } from "../tasks/TaskStop.ts"
import * as TurnPicker from "./TurnPicker.ts"
import * as FilePath from "../vscode/FilePath.ts"

export interface Target {
  readonly entry: TaskStore.Entry
  /** The last message that stays. */
  readonly to: number
  readonly what: Restoring.What
  /** ms since 1970: what people know it by. */
  readonly at: number
}

const mostNamed = 2

const named = (paths: ReadonlyArray<string>): string => {
  const others = paths.length - mostNamed
  const names = paths.slice(0, mostNamed).join(", ")
  return Words.printable(others > 0 ? `${names} and ${others} more` : names)
}

/** What becomes of the files: one that was not there then is deleted. */
const whatOf = ({ changes }: Pick<Restoring.Done, "changes">): ReadonlyArray<string> => {
  const names = (all: typeof changes) => all.map(({ path: name }) => name)
  const back = names(changes.filter(({ to }) => to !== undefined))
  const gone = names(changes.filter(({ to }) => to === undefined))
  return [
    ...(back.length === 0 ? [] : [`${named(back)} ${back.length === 1 ? "goes" : "go"} back.`]),
    ...(gone.length === 0 ? [] : [`${named(gone)} ${gone.length === 1 ? "is" : "are"} deleted.`])
  ]
}

const pathsOf = ({ changes }: Pick<Restoring.Done, "changes">) => changes.map(({ path: name }) => name)

/** A restore would not reach an editor with unsaved text, whose next save would then undo it. */
const unsaved = (row: History.TaskRow, paths: ReadonlyArray<string>): Effect.Effect<void, Refusal> => {
  const files = new Map(paths.map((name) => [path.join(row.meta.workspace, name), name]))
  const dirty = vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty)
  const [first] = dirty.flatMap(({ uri }) => files.get(FilePath.of(uri)) ?? [])
  if (first === undefined) return Effect.void
  return Effect.fail(
    new Refusal({ line: `${Words.printable(first)} has changes that are not saved. Save or revert it first.` })
  )
}

const titles = (board: TaskStore.Snapshot) => (id: string) => board.entries.get(id)?.node.row.meta.title

/** The conversation of a completed task stays, and so does one that ends there. */
const cuts = ({ messageCount, record }: History.TaskRow, { to, what }: Target): boolean =>
  what !== "files" && record.status !== "completed" && to < messageCount - 1

const nothing = (time: string) =>
  new Refusal({ line: `No turn of this task has changed anything since ${time}.`, isNews: true })

const confirmed = (target: Target, row: History.TaskRow, board: TaskStore.Snapshot) =>
  Effect.gen(function* () {
    const { at, entry, to, what } = target
    const time = TurnPicker.timeOf(at)
    // A message that is not there yet is the end of what is there.
    const isThere = to < row.messageCount
    const preview = isThere && what !== "conversation" ? yield* Restoring.preview(row, to) : { changes: [], kept: [] }
    const paths = pathsOf(preview)
    const ends = cuts(row, target)
    if (paths.length === 0 && !ends) return yield* nothing(time)
    yield* unsaved(row, paths)
    const runs = TaskTrees.withBelow(entry, board).some(({ node }) => TaskNode.isAlive(node))
    const lines = [
      ...(runs ? ["The task is stopped first."] : []),
      ...whatOf(preview),
      ...Restoring.shares(preview, titles(board)),
      ...preview.kept.map(Restoring.keptText),
      ...(ends ? ["The conversation ends there; the log keeps what came after."] : []),
      "A checkpoint of now is made first, so this can be undone."
    ]
    const title = `Restore ${paths.length === 0 ? "the conversation" : TurnPicker.filesText(paths.length)} to ${time}?`
    const options = { modal: true, detail: lines.join("\n") }
    yield* chosen(() => vscode.window.showWarningMessage(title, options, runs ? "Stop and restore" : "Restore"))
    if (runs) yield* stopped(entry)
  })

/** Takes the last restore of a task back. Errors: those of `Restoring.undo`; `Refusal` for texts that are not saved. */
export const undo = (entry: TaskStore.Entry) =>
  Effect.gen(function* () {
    const row = yield* TurnPicker.rowOf(entry)
    const checkpoints = yield* Checkpoints
    const place = { taskId: row.record.id, workspace: row.meta.workspace }
    const last = (yield* checkpoints.list(place)).findLast(({ moment }) => moment === "restore")
    if (last !== undefined) yield* unsaved(row, pathsOf(yield* checkpoints.preview({ ...place, to: last.id })))
    yield* Restoring.undo(row)
    yield* (yield* TaskStore.TaskStore).refresh
  })

/** Asks with what will change, restores, and offers to undo it. */
export const restore = (target: Target) =>
  Effect.gen(function* () {
    const { entry, to, what } = target
    const { log } = yield* Bridge
    const board = yield* TaskStore.TaskStore
    yield* confirmed(target, yield* TurnPicker.rowOf(entry), board.now())
    yield* Restoring.restore(yield* TurnPicker.rowOf(entry), { to, what })
    yield* board.refresh
    const back = undo(entry)
    const context = yield* Effect.context<Effect.Services<typeof back>>()
    const line = `Restored to ${TurnPicker.timeOf(target.at)}.`
    void vscode.window.showInformationMessage(line, "Undo restore").then((answer) => {
      if (answer === undefined) return
      void Effect.runForkWith(context)(Effect.catchCause(back, (cause) => Effect.sync(() => tell(log, cause))))
    })
  })
