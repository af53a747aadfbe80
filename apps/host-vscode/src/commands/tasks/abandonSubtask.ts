/** Abandon: the parent no longer waits for a stopped subtask and is told so. The subtask keeps what it has. */
import { TaskStore } from "@belay/interaction/tasks"
import { TaskEngine } from "@belay/task-engine"
import { Releasing } from "@belay/task-engine/remote"
import { Copy } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { chosen, command } from "../../vscode/Bridge.ts"
import { TaskRunner } from "../../tasks/TaskRunner.ts"
import * as Holders from "../../tasks/Holders.ts"
import * as TaskChoice from "../../tasks/TaskChoice.ts"

export const abandonSubtask = command("belay.abandonSubtask", (given) =>
  Effect.gen(function* () {
    const entry = yield* TaskChoice.of(given, {
      title: "Abandon which subtask?",
      none: "No subtask that is waited for is stopped.",
      fits: TaskChoice.allows("abandon")
    })
    const { parent } = entry
    if (parent === undefined) return
    const title = Copy.subtaskAbandonTitle(entry.node.row.meta.title)
    const detail = Copy.subtaskAbandonDetail(parent.node.row.meta.title)
    yield* chosen(() => vscode.window.showWarningMessage(title, { modal: true, detail }, "Abandon subtask"))
    const { refresh } = yield* TaskStore.TaskStore
    const engine = yield* TaskEngine
    const taskId = TaskStore.idOf(parent)
    if (engine.kept().has(taskId)) yield* engine.release(taskId, { kind: "abandon", child: TaskStore.idOf(entry) })
    else {
      const released = yield* Holders.named(
        taskId,
        Releasing.abandon({ child: entry.node.row, parent: parent.node.row })
      )
      if (released === "here") yield* (yield* TaskRunner).resume(taskId)
    }
    yield* refresh
  })
)
