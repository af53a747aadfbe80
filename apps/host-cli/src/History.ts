/**
 * The history for commands that write: `TaskStateMachine` decides every change of a task, and what is secret in this
 * process is in nothing that is stored.
 */
import { layerSqlite } from "@belay/history-store"
import * as DataFolder from "@belay/history-store/data-folder"
import { Redacting } from "@belay/task-engine/outside"
import { TaskStateMachine } from "@belay/task-state"
import * as Layer from "effect/Layer"
import { redaction } from "./Redaction.ts"

export const layer = (directory: string = DataFolder.directory()) =>
  Redacting.history(redaction, layerSqlite({ directory, kind: "cli" }).pipe(Layer.provide(TaskStateMachine.layer)))
