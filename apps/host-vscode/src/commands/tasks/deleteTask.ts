/**
 * Delete: asks with the names of everything that goes; what runs here is stopped first. For 30 days it can be taken back,
 * at once by the notice.
 */
import { TaskStore, TaskText, TaskTrees } from "@belay/interaction/tasks"
import { TaskHistory } from "@belay/history-store"
import { Deleting, TaskNode } from "@belay/task-engine/remote"
import { Copy } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as vscode from "vscode"
import { Bridge, chosen, command, tell } from "../../vscode/Bridge.ts"
import { Drafts } from "../../conversation/Drafts.ts"
import { Pictures } from "../../conversation/pictures/Pictures.ts"
import * as Holders from "../../tasks/Holders.ts"
import * as Home from "../../activation/Home.ts"
import * as Selection from "../../tasks/Selection.ts"
import * as TaskChoice from "../../tasks/TaskChoice.ts"
import * as Undeleting from "./Undeleting.ts"
import { stopped } from "../../tasks/TaskStop.ts"

/** Names that a dialog has room for. */
const named = 10

const list = (below: ReadonlyArray<TaskStore.Entry>): ReadonlyArray<string> => {
  const names = below.slice(0, named).map((entry) => `- ${TaskText.titleOf(entry)}`)
  const others = below.length - names.length
  return others === 0 ? names : [...names, `and ${others} more`]
}

const confirmed = (entry: TaskStore.Entry, below: ReadonlyArray<TaskStore.Entry>, runs: boolean) => {
  const title = Copy.deleteTitle({ task: entry.node.row.meta.title, n: below.length })
  const names = list(below)
  const blocks = [
    ...(runs ? [Copy.deleteRunning] : []),
    ...(names.length === 0 ? [] : [names.join("\n")]),
    Copy.deleteDetail
  ]
  const detail = blocks.join("\n\n")
  const button = runs ? "Stop and delete" : "Delete"
  return chosen(() => vscode.window.showWarningMessage(title, { modal: true, detail }, button))
}

/** The notice stays while the person may want it, and the command is over before. */
const offerUndo = (deletion: Undeleting.Deletion) =>
  Effect.gen(function* () {
    const { log } = yield* Bridge
    const back = Undeleting.undelete(deletion)
    const context = yield* Effect.context<Effect.Services<typeof back>>()
    const line = Copy.deleted({ task: deletion.title, n: deletion.subtasks })
    void vscode.window.showInformationMessage(line, "Undo").then((answer) => {
      if (answer === undefined) return
      void Effect.runForkWith(context)(Effect.catchCause(back, (cause) => Effect.sync(() => tell(log, cause))))
    })
  })

/** What was begun to be written to it. */
const forget = (id: string) =>
  Effect.gen(function* () {
    const pictures = yield* Pictures
    const { keep } = yield* Drafts
    keep(id, "")
    const attached = yield* pictures.of(id)
    yield* pictures.detach(
      id,
      attached.map((picture) => picture.id)
    )
  })

export const deleteTask = command("belay.deleteTask", (given) =>
  Effect.gen(function* () {
    const row = given === Selection.argument ? yield* Selection.task : given
    // The key does nothing on a group.
    if (row === null) return
    const entry = yield* TaskChoice.of(row, {
      title: "Delete which task?",
      none: "There is no task that can be deleted.",
      fits: TaskChoice.allows("delete")
    })
    const board = yield* TaskStore.TaskStore
    const [, ...below] = TaskTrees.withBelow(entry, board.now())
    const runs = [entry, ...below].some(({ here, node }) => here && TaskNode.isAlive(node))
    yield* confirmed(entry, below, runs)
    if (runs) yield* stopped(entry)
    const found = Option.getOrUndefined(yield* (yield* TaskHistory).row(TaskStore.idOf(entry)))
    const removed =
      found === undefined ? Effect.succeed([]) : Deleting.remove(found, { subtasks: "delete" }, Home.directory())
    yield* Holders.named(TaskStore.idOf(entry), removed)
    yield* Effect.forEach([entry, ...below], (one) => forget(TaskStore.idOf(one)), { discard: true })
    yield* board.refresh
    yield* offerUndo({ id: TaskStore.idOf(entry), title: entry.node.row.meta.title, subtasks: below.length })
  })
)
