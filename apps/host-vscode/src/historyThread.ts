/**
 * The history's thread, as this host composes it: `TaskStateMachine` decides every change of a task there, `Ownership` says
 * who lives, by a lock of each process, and `Reconciler` says what to repair of what dead processes left.
 */
import { Ownership } from "@belay/history-store"
import { serveHistory } from "@belay/history-store/serve"
import { Reconciler, TaskStateMachine } from "@belay/task-state"
import * as Layer from "effect/Layer"

serveHistory((owner) => Layer.mergeAll(TaskStateMachine.layer, Ownership.layerFile(owner), Reconciler.layer))
