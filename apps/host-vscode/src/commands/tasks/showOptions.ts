/** Mode, model and limits of the shown task, and of no other: the title names it. */
import { type TaskStore, TaskText } from "@belay/interaction/tasks"
import { TaskNode } from "@belay/task-engine/remote"
import { Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { chosen, command, perform } from "../../vscode/Bridge.ts"
import { ShownTask } from "../../tasks/ShownTask.ts"
import * as TaskChoice from "../../tasks/TaskChoice.ts"

interface Row extends vscode.QuickPickItem {
  readonly run: string
  readonly args: ReadonlyArray<unknown>
}

const limitOf = ({ node }: TaskStore.Entry): string => {
  const limit = Words.limit(node.row.meta.settings)
  const cost = Words.money(TaskNode.usage(node).costUsd)
  return limit === undefined ? `${cost} spent, no limit` : `${cost} spent, limit ${limit}`
}

const rowsOf = (entry: TaskStore.Entry): ReadonlyArray<Row> => {
  const { meta, record } = entry.node.row
  const settings = (name: string) => ["workbench.action.openSettings", [name]] as const
  const [open, budget] = settings("belay.budget")
  const mode = { label: `$(arrow-swap) Mode: ${Words.modes[meta.mode]}`, detail: "Changes this task only" }
  return [
    ...(record.status === "completed" ? [] : [{ ...mode, run: "belay.switchMode", args: [record.id] }]),
    {
      label: `$(chip) Model: ${Words.printable(meta.model)}`,
      detail: "From its next request on, for this task only",
      run: "belay.chooseTaskModel",
      args: [record.id]
    },
    {
      label: `$(dashboard) Limits: ${limitOf(entry)}`,
      detail: "The settings hold for new tasks",
      run: open,
      args: budget
    },
    { label: "$(checklist) Open checklist file", run: "belay.openChecklist", args: [record.id] },
    { label: "$(output) Open conversation as text", run: "belay.openTranscriptAsText", args: [record.id] }
  ]
}

export const showOptions = command("belay.showOptions", (given) =>
  Effect.gen(function* () {
    const shown = (yield* ShownTask).id()
    const none = 'There are no tasks yet. Start one with "Belay: New task".'
    const entry = yield* TaskChoice.of(given ?? shown, { title: "The options of which task?", none, fits: () => true })
    const title = `"${TaskText.titleOf(entry)}"`
    const { args, run } = yield* chosen((token) => vscode.window.showQuickPick(rowsOf(entry), { title }, token))
    yield* perform(() => vscode.commands.executeCommand(run, ...args))
  })
)
