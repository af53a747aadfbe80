/** What one task does without asking, from its next step on: the same settings as for all tasks, for this one alone. */
import { TaskStore, TaskText } from "@belay/interaction/tasks"
import { ApprovalLevel } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { chosen, command, perform, Refusal } from "../../vscode/Bridge.ts"
import { ShownTask } from "../../tasks/ShownTask.ts"
import * as TaskChoice from "../../tasks/TaskChoice.ts"
import { TaskRunner } from "../../tasks/TaskRunner.ts"

interface Row extends vscode.QuickPickItem {
  readonly level?: ApprovalLevel.Level
}

const details: Readonly<Record<ApprovalLevel.Level, string>> = {
  reads: "Files of the workspace are read; every change and every command that does more than look asks",
  edits: "Files of the workspace are changed as well; commands ask",
  checks: "The project's own tests, linters and builds run as well, in the sandbox"
}

const names: Readonly<Record<ApprovalLevel.Level, string>> = {
  reads: "Reads",
  edits: "Reads and edits",
  checks: "Reads, edits and project checks"
}

const rowsOf = (now: string | undefined): ReadonlyArray<Row> => [
  ...ApprovalLevel.levels.map((level) => ({
    label: names[level],
    detail: details[level],
    level,
    ...(now === level ? { description: "now" } : {})
  })),
  { label: "$(list-unordered) What is allowed here…", detail: "Commands, files and tools that you have allowed" }
]

export const chooseApprovals = command("belay.chooseApprovals", (given) =>
  Effect.gen(function* () {
    const id = given ?? (yield* ShownTask).id()
    if (id === undefined) {
      return yield* perform(() => vscode.commands.executeCommand("workbench.action.openSettings", "belay.approvals"))
    }
    const none = 'There are no tasks yet. Start one with "Belay: New task".'
    const entry = yield* TaskChoice.of(id, { title: "The approvals of which task?", none, fits: () => true })
    const { meta, record } = entry.node.row
    const title = `What "${TaskText.titleOf(entry)}" does without asking`
    const { level } = yield* chosen((token) =>
      vscode.window.showQuickPick(rowsOf(ApprovalLevel.of(meta.settings)), { title }, token)
    )
    if (level === undefined) {
      return yield* perform(() => vscode.commands.executeCommand("belay.showAllowed", record.id))
    }
    if (!vscode.workspace.isTrusted && level !== "reads") {
      return yield* new Refusal({ line: "This folder is not trusted: every command and every edit asks." })
    }
    yield* (yield* TaskRunner).configure(record.id, (settings) => ({
      ...settings,
      approvals: ApprovalLevel.set(settings.approvals, level)
    }))
    return yield* (yield* TaskStore.TaskStore).refresh
  })
)
