/** The histories of these tests, decided by the state machine as it is. */
import * as Store from "@belay/history-store"
import { TaskStateMachine } from "@belay/task-state"
import * as Layer from "effect/Layer"

export const layerMemory = Store.layerMemory.pipe(Layer.provide(TaskStateMachine.layer))
