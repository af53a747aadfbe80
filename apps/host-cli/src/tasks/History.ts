/**
 * The history for commands that write: `TaskStateMachine` decides every change of a task, what is secret in this process
 * is in nothing that is stored, and one line says what had to be repaired first.
 */
import { layerSqlite, RepairNotice } from "@belay/history-store"
import * as DataFolder from "@belay/history-store/data-folder"
import { Redacting } from "@belay/task-engine/outside"
import { RepairText } from "@belay/interaction"
import { TaskStateMachine } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { redaction } from "../output/Redaction.ts"

const told: RepairNotice.RepairNotice = (reconciled) => {
  const line = RepairText.line(reconciled)
  return line === undefined ? Effect.void : Effect.logInfo(`${line}.`)
}

export const layer = (directory: string = DataFolder.directory()) =>
  Layer.merge(
    Redacting.history(redaction, layerSqlite({ directory, kind: "cli" }).pipe(Layer.provide(TaskStateMachine.layer))),
    Layer.succeed(RepairNotice.RepairNotice, told)
  )
