/** What is seen before there is an engine: the history, as it was left, in the trees and in the status bar. */
import { SeenTasks, TaskStore } from "@belay/interaction/tasks"
import { type History, layerWorker, RepairNotice } from "@belay/history-store"
import type { Preload } from "@belay/history-store/unstable/preload"
import { TaskEvents } from "@belay/task-engine"
import * as Redacting from "@belay/task-engine/unstable/redacting"
import { RepairText } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as vscode from "vscode"
import { Bridge, tell } from "./vscode/Bridge.ts"
import { Filter } from "./tasks/Filter.ts"
import * as Home from "./activation/Home.ts"
import * as NeedsYouProvider from "./asks/NeedsYouProvider.ts"
import { redaction } from "./vscode/Redaction.ts"
import { ShownTask } from "./tasks/ShownTask.ts"
import * as StatusBar from "./status/StatusBar.ts"
import * as TasksProvider from "./tasks/TasksProvider.ts"

/** What dead processes left and this window repaired is told in one line that covers nothing and asks nothing, and logged. */
const repairs = Layer.effect(
  RepairNotice.RepairNotice,
  Effect.map(
    Bridge,
    ({ log }) =>
      (reconciled: History.Reconciled) =>
        Effect.sync(() => {
          const line = RepairText.line(reconciled)
          if (line === undefined) return
          log.info(line)
          vscode.window.setStatusBarMessage(`Belay: ${line}.`, 30_000)
        })
  )
)

/** `ahead`: the thread of the history, which was started before. */
export const layer = (bridge: Layer.Layer<Bridge>, ahead: Preload) => {
  const workerUrl = new URL("./thread.js", import.meta.url)
  return Layer.mergeAll(TasksProvider.layer, NeedsYouProvider.layer, StatusBar.layer).pipe(
    Layer.provideMerge(
      Layer.unwrap(Effect.map(Bridge, ({ log }) => TaskStore.TaskStore.layer((cause) => tell(log, cause))))
    ),
    Layer.provideMerge(Layer.mergeAll(ShownTask.layer, SeenTasks.SeenTasks.layer, Filter.layer)),
    Layer.provideMerge(TaskEvents.layer),
    Layer.provideMerge(Redacting.history(redaction, layerWorker({ ...Home.history(), workerUrl, ahead }))),
    Layer.provideMerge(repairs),
    Layer.provideMerge(bridge)
  )
}
