/** Restore: files, the conversation or both go back to before a turn. It can be undone; unsaved texts are never written over. */
import { type History, TaskHistory } from "@belay/history-store"
import { TaskNode } from "@belay/task-engine/outside"
import { Words } from "@belay/task-engine/protocol"
import * as Restoring from "@belay/task-engine/restoring"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as path from "node:path"
import * as vscode from "vscode"
import * as Board from "../Board.ts"
import { Bridge, chosen, command, Refusal, tell } from "../Bridge.ts"
import { withBelow } from "../Forest.ts"
import * as TurnPicker from "../TurnPicker.ts"
import { stopped } from "./stop.ts"

const whats: ReadonlyArray<vscode.QuickPickItem & { readonly what: Restoring.What }> = [
  { label: "Files and conversation", what: "both" },
  { label: "Files", description: "the conversation goes on, and the model is told", what: "files" },
  { label: "Conversation", description: "files stay as they are", what: "conversation" }
]

const mostNamed = 2

const named = (paths: ReadonlyArray<string>): string => {
  const others = paths.length - mostNamed
  const names = paths.slice(0, mostNamed).join(", ")
  return Words.printable(others > 0 ? `${names} and ${others} more` : names)
}

/** A restore would not reach an editor with unsaved text, whose next save would then undo it. */
const unsaved = (row: History.TaskRow, paths: ReadonlyArray<string>): Effect.Effect<void, Refusal> => {
  const files = new Map(paths.map((name) => [path.join(row.meta.workspace, name), name]))
  const dirty = vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty)
  const [first] = dirty.flatMap(({ uri }) => files.get(uri.fsPath) ?? [])
  if (first === undefined) return Effect.void
  return Effect.fail(
    new Refusal({ line: `${Words.printable(first)} has changes that are not saved. Save or revert it first.` })
  )
}

const titles = (board: Board.Snapshot) => (id: string) => board.entries.get(id)?.node.row.meta.title

const confirmed = ({ entry, row, turn }: TurnPicker.Chosen, what: Restoring.What, board: Board.Snapshot) =>
  Effect.gen(function* () {
    const preview = what === "conversation" ? { changes: [], kept: [] } : yield* Restoring.preview(row, turn.to)
    const paths = preview.changes.map(({ path: name }) => name)
    yield* unsaved(row, paths)
    const runs = withBelow(entry, board).some(({ node }) => TaskNode.isAlive(node))
    const subject = what === "conversation" ? "the conversation" : TurnPicker.filesText(paths.length)
    const now = "A checkpoint of now is made first, so this can be undone."
    const lines = [
      ...(runs ? ["The task is stopped first."] : []),
      ...(paths.length === 0 ? [] : [`${named(paths)} ${paths.length === 1 ? "goes" : "go"} back.`]),
      ...Restoring.shares(preview, titles(board)),
      ...preview.kept.map(Restoring.keptText),
      ...(what === "files" ? [] : ["The conversation ends there; the log keeps what came after."]),
      now
    ]
    const title = `Restore ${subject} to ${TurnPicker.timeOf(turn.before.at)}?`
    const options = { modal: true, detail: lines.join("\n") }
    yield* chosen(() => vscode.window.showWarningMessage(title, options, runs ? "Stop and restore" : "Restore"))
    if (runs) yield* stopped(entry)
  })

const fresh = (row: History.TaskRow) =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.row(row.record.id)),
    Option.getOrElse(() => row)
  )

export const restoreCheckpoint = command("belay.restoreCheckpoint", (given) =>
  Effect.gen(function* () {
    const { log } = yield* Bridge
    const board = yield* Board.Board
    const question = "Restore which task?"
    const choice = yield* TurnPicker.choose(given, question, "Restore to before which turn?")
    const { row, turn } = choice
    const time = TurnPicker.timeOf(turn.before.at)
    const { what } = yield* chosen((token) =>
      vscode.window.showQuickPick([...whats], { title: `Restore to ${time}`, placeHolder: "What goes back?" }, token)
    )
    yield* confirmed(choice, what, board.now())
    const { changes } = yield* Restoring.restore(yield* fresh(row), { to: turn.to, what })
    yield* board.refresh
    const undo = Effect.gen(function* () {
      yield* unsaved(
        row,
        changes.map(({ path: name }) => name)
      )
      yield* Restoring.undo(yield* fresh(row))
      yield* board.refresh
    })
    const context = yield* Effect.context<Effect.Services<typeof undo>>()
    void vscode.window.showInformationMessage(`Restored to ${time}.`, "Undo restore").then((answer) => {
      if (answer === undefined) return
      void Effect.runForkWith(context)(Effect.catchCause(undo, (cause) => Effect.sync(() => tell(log, cause))))
    })
  })
)
