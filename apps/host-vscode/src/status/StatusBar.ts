/**
 * Two items: what the tasks do or need, and mode, model and cost of the shown task while a conversation is seen.
 */
import { OpenAsks, SeenTasks, TaskStore, TaskText } from "@belay/interaction/tasks"
import { TaskNode } from "@belay/task-engine/remote"
import { Copy } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as vscode from "vscode"
import * as StatusBarText from "./StatusBarText.ts"
import { scoped } from "../vscode/Bridge.ts"
import { ShownTask } from "../tasks/ShownTask.ts"

const put = (
  item: vscode.StatusBarItem,
  { spoken, text }: StatusBarText.Bar,
  tooltip: string,
  command: string
): void => {
  item.text = text
  item.tooltip = tooltip
  item.command = command
  item.accessibilityInformation = { label: spoken }
  item.show()
}

const item = (id: string, name: string, priority: number) =>
  scoped(() => {
    const made = vscode.window.createStatusBarItem(id, vscode.StatusBarAlignment.Left, priority)
    made.name = name
    return made
  })

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const board = yield* TaskStore.TaskStore
    const shown = yield* ShownTask
    const seen = yield* SeenTasks.SeenTasks
    const tasks = yield* item("belay.tasks", "Belay tasks", -100)
    const task = yield* item("belay.task", "Belay shown task", -101)

    const showTasks = (): void => {
      const entries = [...board.now().entries.values()]
      const needsYou = entries.filter((entry) => OpenAsks.shownIn(entry).length > 0).length
      const running = entries.filter(({ text }) => text.state === "running" || text.state === "elsewhere").length
      const restricted = !vscode.workspace.isTrusted
      const bar = StatusBarText.tasksBar({ needsYou, running, restricted })
      const tooltip = restricted ? `${bar.spoken}\n${Copy.untrusted}` : bar.spoken
      put(tasks, bar, tooltip, needsYou > 0 ? "belay.showNeedsYou" : "belay.openTask")
      if (needsYou > 0) tasks.backgroundColor = new vscode.ThemeColor("statusBarItem.warningBackground")
      else Object.assign(tasks, { backgroundColor: undefined })
    }

    const isSeen = (): boolean =>
      seen.any() || vscode.window.visibleTextEditors.some(({ document }) => document.uri.scheme === "belay-transcript")

    const showTask = (): void => {
      const entry = board.now().entries.get(shown.id() ?? "")
      if (entry === undefined || !isSeen()) return task.hide()
      const { mode, model } = entry.node.row.meta
      const { costUsd } = TaskNode.usage(entry.node)
      const title = TaskText.titleOf(entry)
      put(
        task,
        StatusBarText.shownBar({ title, mode, model, costUsd }),
        `Mode, model and cost of "${title}"`,
        "belay.showOptions"
      )
    }

    const look = (): void => {
      showTasks()
      showTask()
    }
    look()
    board.listen(look)
    shown.listen(look)
    seen.listen(showTask)
    yield* scoped(() => vscode.window.onDidChangeVisibleTextEditors(showTask))
    yield* scoped(() => vscode.workspace.onDidGrantWorkspaceTrust(look))
  })
)
