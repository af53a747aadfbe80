/** The histories of these tests, decided by the state machine as it is. */
import * as Store from "@belay/history-store"
import { TaskStateMachine } from "@belay/task-state"
import * as Layer from "effect/Layer"

export const layerSqlite = (options: Store.Options) =>
  Store.layerSqlite(options).pipe(Layer.provide(TaskStateMachine.layer))
