/** What is seen before there is an engine: the history, as it was left, in the trees and in the status bar. */
import { layerWorker } from "@belay/history-store"
import type { Ahead } from "@belay/history-store/ahead"
import { TaskEvents } from "@belay/task-engine"
import { Redacting } from "@belay/task-engine/outside"
import * as Layer from "effect/Layer"
import * as Board from "./Board.ts"
import type { Bridge } from "./Bridge.ts"
import { Filter } from "./Filter.ts"
import * as Home from "./Home.ts"
import * as NeedsYouProvider from "./NeedsYouProvider.ts"
import { redaction } from "./Redaction.ts"
import { Seen } from "./Seen.ts"
import { ShownTask } from "./ShownTask.ts"
import * as StatusBar from "./StatusBar.ts"
import * as TasksProvider from "./TasksProvider.ts"

/** `ahead`: the thread of the history, which was started before. */
export const layer = (bridge: Layer.Layer<Bridge>, ahead: Ahead) => {
  const workerUrl = new URL("./thread.js", import.meta.url)
  return Layer.mergeAll(TasksProvider.layer, NeedsYouProvider.layer, StatusBar.layer).pipe(
    Layer.provideMerge(Board.Board.layer),
    Layer.provideMerge(Layer.mergeAll(ShownTask.layer, Seen.layer, Filter.layer)),
    Layer.provideMerge(TaskEvents.layer),
    Layer.provideMerge(Redacting.history(redaction, layerWorker({ ...Home.history(), workerUrl, ahead }))),
    Layer.provideMerge(bridge)
  )
}
