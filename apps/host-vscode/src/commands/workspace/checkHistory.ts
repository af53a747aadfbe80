/** Check history: repairs what dead processes left, and says in a document what was repaired and what cannot be read. */
import { TaskStore } from "@belay/interaction/tasks"
import { RepairNotice, TaskHistory } from "@belay/history-store"
import { TaskEngine } from "@belay/task-engine"
import { Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { command, perform, Refusal } from "../../vscode/Bridge.ts"

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

export const checkHistory = command("belay.checkHistory", () =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    if (history.notice !== null) return yield* new Refusal({ line: history.notice })
    // They are listed in the document.
    const { repairs } = yield* history
      .reconcile((yield* TaskEngine).running())
      .pipe(Effect.provideService(RepairNotice.RepairNotice, RepairNotice.silent))
    const copies = yield* history.quarantined
    yield* (yield* TaskStore.TaskStore).refresh
    if (repairs.length + copies.length === 0) {
      void vscode.window.showInformationMessage("The history is sound. Nothing had to be repaired.")
      return
    }
    const line =
      `${counted(repairs.length, "repair was", "repairs were")} made. ` +
      `${counted(copies.length, "record", "records")} could not be read; a copy of each is kept.`
    const content = [
      line,
      ...repairs.map(({ detail, rule, taskId }) => `${rule}  ${taskId}  ${Words.printable(detail)}`),
      ...copies.map(({ reason, taskId }) => `unreadable  ${taskId}  ${Words.printable(reason)}`),
      ""
    ].join("\n")
    const document = yield* perform(() => vscode.workspace.openTextDocument({ content, language: "plaintext" }))
    yield* perform(() => vscode.window.showTextDocument(document, { preview: true }))
  })
)
