/**
 * The history for commands that write: what is secret in this process is in nothing that is stored, and one line says what
 * had to be repaired first.
 */
import { layerSqlite, Ownership, RepairNotice } from "@belay/history-store"
import * as DataFolder from "@belay/history-store/data-folder"
import * as Redacting from "@belay/task-engine/unstable/redacting"
import { RepairText } from "@belay/interaction"
import { Reconciler, TaskStateMachine } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { redaction } from "../output/Redaction.ts"

const told: RepairNotice.RepairNotice = (reconciled) => {
  const line = RepairText.line(reconciled)
  return line === undefined ? Effect.void : Effect.logInfo(`${line}.`)
}

/** Governed by the `TaskStateMachine`, the `Ownership` and the `Reconciler` that are composed with it. */
export const layerUngoverned = (directory: string) =>
  Layer.merge(Redacting.history(redaction, layerSqlite({ directory })), Layer.succeed(RepairNotice.RepairNotice, told))

export const layer = (directory: string = DataFolder.directory()) =>
  layerUngoverned(directory).pipe(
    Layer.provide(Layer.merge(TaskStateMachine.layer, Reconciler.layer)),
    Layer.provideMerge(Ownership.layerFile({ directory, kind: "cli" }))
  )
