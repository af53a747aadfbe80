/** The history of these tests, governed as the hosts govern theirs. */
import * as Store from "@belay/history-store"
import { Reconciler, TaskStateMachine } from "@belay/task-state"
import * as Layer from "effect/Layer"

export const layerMemory = Store.layerMemory.pipe(
  Layer.provide(Layer.mergeAll(TaskStateMachine.layer, Store.Ownership.layerMemory, Reconciler.layer))
)
