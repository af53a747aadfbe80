/** The histories of these tests, governed as the hosts govern theirs. */
import * as Store from "@belay/history-store"
import { Reconciler, TaskStateMachine } from "@belay/task-state"
import * as Layer from "effect/Layer"

/** Where a history lies, and who opens it. */
export interface Options extends Store.OwnershipOptions {
  readonly maxPages?: number
}

const rules = Layer.merge(TaskStateMachine.layer, Reconciler.layer)

export const layerSqlite = (options: Options) =>
  Store.layerSqlite(options).pipe(Layer.provide(rules), Layer.provideMerge(Store.Ownership.layerFile(options)))

export const layerReader = (options: Options) =>
  Store.layerReader(options).pipe(Layer.provideMerge(Store.Ownership.layerFile(options)))

export const layerMemory = Store.layerMemory.pipe(Layer.provide(rules), Layer.provideMerge(Store.Ownership.layerMemory))
